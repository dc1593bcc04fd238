/** The time of a message, with the date if it is not from today. */
export function clockTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], { ...(!isToday && { month: 'short', day: 'numeric' }), hour: '2-digit', minute: '2-digit' });
}
