/** @jsxImportSource react */
import { PilotHouse } from "pilothouse/react";
import type { PilotHouseElement } from "pilothouse";
import type {} from "pilothouse/types/react";
import { useRef } from "react";

export function Page() {
  const element = useRef<PilotHouseElement>(null);
  return (
    <>
      <PilotHouse ref={element} src="/" session="one" transport="ws" readOnly attention theme="dark" className="side" style={{ height: 300 }}
        onRequest={(event) => event.detail.request.kind.length} onAnswer={(event) => event.preventDefault()}
        onStatus={({ detail }) => detail.status} onTelemetry={({ detail }) => detail.name} onError={({ detail }) => detail.message} />
      <pilot-house ref={element} src="/" readonly onpilothouse-request={(event) => event.detail.id.length}>Loading</pilot-house>
      <pilot-house-board history onpilothouse-open={({ detail }) => detail.sessionId.length} />
      {/* @ts-expect-error no such transport */}
      <pilot-house transport="pigeon" />
      {/* @ts-expect-error no such prop */}
      <PilotHouse nothing />
    </>
  );
}
