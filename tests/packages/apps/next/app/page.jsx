"use client";
import { PilotHouse } from "pilothouse/react";
import { useEffect, useState } from "react";

export default function Page() {
  const [gateway, setGateway] = useState();
  useEffect(() => setGateway(new URLSearchParams(location.search).get("gateway")), []);
  return (
    <PilotHouse key={gateway} src={gateway} transport={gateway ? "auto" : "none"} style={{ display: "block", height: "100vh" }}
      onRequest={({ detail }) => (window.asked = detail.id)} />
  );
}
