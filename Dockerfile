# One image for each app: docker build --build-arg APP=send -t messaging-gateway/send .
FROM node:24-bookworm-slim AS source
WORKDIR /source
ENV CI=true NX_DAEMON=false
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM source AS chosen
ARG APP
RUN sh deploy/docker/collect.sh "$APP" /app

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc deploy/docker/prune.sh ./
RUN npm ci --omit=dev && sh prune.sh node_modules

# Contains Node.js and its libraries, and no shell.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG APP
LABEL org.opencontainers.image.title="messaging-gateway/${APP}" \
      org.opencontainers.image.description="A service of the messaging gateway for WhatsApp Business"
WORKDIR /app
# By default V8 sizes its young generation by the container's limit: 1 MB below 512 MB, which costs a send a third more CPU. Its pool of four
# threads takes up to 9 MB more than two.
ENV PATH=/nodejs/bin NODE_ENV=production APP=${APP} PROBE_PORT=9090 NODE_OPTIONS="--max-semi-space-size=4 --max-old-space-size=256 --v8-pool-size=2"
COPY --from=dependencies /app/node_modules node_modules
COPY --from=chosen /app .
USER 65532:65532
EXPOSE 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PROBE_PORT}/readyz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "deploy/docker/run.mjs"]
CMD ["start"]
