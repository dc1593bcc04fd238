import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** The close button of a dialog has an icon only, so it needs a label. */
const closable = { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } };

/** Its title may have a long name. */
const dialog = { ...closable, styles: { title: { overflowWrap: 'anywhere' } } } as const;

/** The `header` of a dialog would be a second banner beside that of the page. */
const notLandmark = { defaultProps: { role: 'presentation' } };

const green: MantineColorsTuple = [
  '#e6f7f0',
  '#d0ebe0',
  '#a3d8c3',
  '#73c4a4',
  '#4bb389',
  '#2fa578',
  '#1a8f66',
  '#0b7a5b',
  '#07694d',
  '#03543d',
];

export const theme = createTheme({
  colors: { green },
  primaryColor: 'green',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  respectReducedMotion: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  headings: { fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif', fontWeight: '650' },
  components: {
    Badge: { styles: { root: { textTransform: 'none' } } },
    // A notice that belongs to the page must not interrupt a screen reader. One that appears later has the role alert or status.
    // A yellow title on yellow has too little contrast.
    Alert: {
      defaultProps: { role: 'note' },
      styles: { root: { overflowWrap: 'anywhere' }, title: { color: 'var(--mantine-color-text)' } },
    },
    PasswordInput: {
      defaultProps: { visibilityToggleFocusable: true, visibilityToggleButtonProps: { 'aria-label': 'Show the password' } },
    },
    Table: { defaultProps: { verticalSpacing: 'sm', highlightOnHover: true } },
    Modal: dialog,
    Drawer: dialog,
    ModalHeader: notLandmark,
    DrawerHeader: notLandmark,
    // The text below the title has too little contrast.
    Notification: { ...closable, styles: { root: { overflowWrap: 'anywhere' }, description: { color: 'var(--mantine-color-dimmed)' } } },
    // A placeholder inside a menu would not be a menu item, and a menu in the body would lie outside the landmarks.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: 'main' } } },
  },
});

/** Dimmed text, placeholders and errors with enough contrast (WCAG AA). In the dark, Mantine's texts of red and green buttons are nearly white. */
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': '#565e66', '--mantine-color-placeholder': '#6b737b', '--mantine-color-error': '#b42318' },
  dark: {
    '--mantine-color-dimmed': '#adb4bc',
    '--mantine-color-placeholder': '#9aa1a9',
    '--mantine-color-error': '#ff9a90',
    '--mantine-color-red-light-color': '#ffb3ab',
    '--mantine-color-green-light-color': 'var(--mantine-color-green-3)',
  },
});
