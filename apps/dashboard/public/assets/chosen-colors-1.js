// The colors that the person chose, before the dashboard has loaded. Browsers keep a file for a year, so a change needs a new name.
{
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.mantineColorScheme = chosen;
}
