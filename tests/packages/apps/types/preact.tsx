/** @jsxImportSource preact */
import type {} from "pilothouse/types/preact";

export const page = (
  <>
    <pilot-house src="/" class="side" onpilothouse-request={(event) => event.detail.id.length} />
    <pilot-house-board history onpilothouse-open={({ detail }) => detail.sessionId.length} />
    {/* @ts-expect-error no such transport */}
    <pilot-house transport="pigeon" />
  </>
);
