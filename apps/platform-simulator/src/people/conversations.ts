const DAY_MS = 86_400_000;
const MAX = 100_000;

/** When each person last wrote to each number: free-form messages are refused later than a day after it. */
export class Conversations {
  private readonly lastWrote = new Map<string, number>();

  wrote(phoneNumberId: string, person: string, at: number): void {
    const key = `${phoneNumberId}/${person}`;
    this.lastWrote.delete(key);
    this.lastWrote.set(key, at);
    if (this.lastWrote.size > MAX) this.lastWrote.delete(this.lastWrote.keys().next().value as string);
  }

  clear(): void {
    this.lastWrote.clear();
  }

  isOpen(phoneNumberId: string, person: string): boolean {
    return Date.now() < (this.lastWrote.get(`${phoneNumberId}/${person}`) ?? -Infinity) + DAY_MS;
  }
}
