export function App() {
  return <p>DIOPI conformance</p>;
}
