// An OpenID Connect provider of the tests' own. It is another site than the gateway: `localhost`, not `127.0.0.1`.

import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

export const CLIENT = "pilothouse";

const base64url = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** The address of a provider that signs in who has these claims, until the test is over. */
export async function provider(stage, claims) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const codes = new Map();
  let issuer;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams: asked } = new URL(request.url, issuer);
    const json = (value) => response.setHeader("Content-Type", "application/json").end(JSON.stringify(value));
    const page = (title, address, words) =>
      response.setHeader("Content-Type", "text/html").end(`<!doctype html><title>${title}</title><h1>${title}</h1><a href="${address}">${words}</a>`);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          end_session_endpoint: `${issuer}/logout`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["EdDSA"],
        });
      case "/keys":
        return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "EdDSA", use: "sig" }] });
      case "/authorize": {
        const code = randomUUID();
        codes.set(code, { nonce: asked.get("nonce"), challenge: asked.get("code_challenge") });
        const back = `${asked.get("redirect_uri")}?code=${code}&amp;state=${asked.get("state")}`;
        return page("The provider", back, "Go on");
      }
      case "/token": {
        const sent = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
        const { nonce, challenge } = codes.get(sent.get("code")) ?? {};
        codes.delete(sent.get("code"));
        if (challenge !== createHash("sha256").update(sent.get("code_verifier") ?? "").digest("base64url")) {
          response.statusCode = 400;
          return json({ error: "invalid_grant" });
        }
        const now = Math.floor(Date.now() / 1000);
        const whole = { iss: issuer, aud: CLIENT, sub: "4711", iat: now, exp: now + 3600, nonce, ...claims };
        const text = `${base64url({ alg: "EdDSA", kid: "1" })}.${base64url(whole)}`;
        const token = `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
        return json({ access_token: "a", token_type: "Bearer", id_token: token });
      }
      case "/logout":
        return page("Signed out", asked.get("post_logout_redirect_uri"), "Go back");
      default:
        return response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => void server.close());
  issuer = `http://localhost:${server.address().port}`;
  return issuer;
}
