export const metadata = { title: "Next", icons: "data:," };

export default function Layout({ children }) {
  return <html lang="en"><body style={{ margin: 0 }}>{children}</body></html>;
}
