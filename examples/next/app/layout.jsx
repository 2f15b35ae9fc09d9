export const metadata = { title: "A session, rendered on the server", icons: "data:," };

export default function Layout({ children }) {
  return <html lang="en"><body style={{ margin: 0 }}>{children}</body></html>;
}
