/** The time of a message; before today with the day. */
export function clockTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], { ...(!isToday && { month: 'short', day: 'numeric' }), hour: '2-digit', minute: '2-digit' });
}
