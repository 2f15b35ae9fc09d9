// One session of the Copilot SDK for one page: events out by server-sent events, answers in by POST.
// Keeps the session's events so that a page can replay them. Other origins and methods are rejected.

using System.Text.Json;
using System.Text.Json.Nodes;
using GitHub.Copilot;
using GitHub.Copilot.Rpc;

const string Page = "http://127.0.0.1:8000";
var json = new JsonSerializerOptions(JsonSerializerDefaults.Web);
var log = new List<string>(); // in memory; a server that runs for weeks should keep it on disk
var grown = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

void OnEvent(SessionEvent happened)
{
    if (happened.Type == "unknown") return; // newer than this SDK, which omits its type and data
    lock (log)
    {
        log.Add($"id: {log.Count + 1}\ndata: {happened.ToJson()}\n\n");
        grown.SetResult();
        grown = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}

await using var client = new CopilotClient();
await client.StartAsync();
await using var session = await client.CreateSessionAsync(new SessionConfig
{
    OnEvent = OnEvent,
    Streaming = true,
    // Required, or the runtime may assume that nobody can answer, and not ask. These handlers never answer;
    // the page does, by the request's id, and the runtime goes on.
    OnPermissionRequest = (_, _) => Task.FromResult(PermissionDecision.NoResult()),
    OnUserInputRequest = (_, _) => new TaskCompletionSource<UserInputResponse>().Task,
});

// The methods that the page may call. It must not have access to everything that the SDK can do.
async Task<object?> Call(string method, JsonNode asked) => method switch
{
    "session.permissions.handlePendingPermissionRequest" => await session.Rpc.Permissions.HandlePendingPermissionRequestAsync(
        asked["requestId"]!.GetValue<string>(), asked["result"].Deserialize<PermissionDecision>(json)!),
    "session.ui.handlePendingUserInput" => await session.Rpc.Ui.HandlePendingUserInputAsync(
        asked["requestId"]!.GetValue<string>(), asked["response"].Deserialize<UIUserInputResponse>(json)!),
    "session.send" => await session.Rpc.SendAsync(
        asked["prompt"]!.GetValue<string>(), asked["displayPrompt"]?.GetValue<string>(),
        asked["attachments"].Deserialize<Attachment[]>(json), asked["mode"].Deserialize<SendMode?>(json),
        agentMode: asked["agentMode"].Deserialize<SendAgentMode?>(json)),
    "session.abort" => await session.Rpc.AbortAsync(),
    _ => throw new InvalidOperationException($"no method {method} here"),
};

var app = WebApplication.CreateBuilder(args).Build();
app.Urls.Add("http://127.0.0.1:3000");
app.Use(async (context, next) =>
{
    // Any site can send requests to this machine: only our page's origin and our host name are accepted.
    var origin = context.Request.Headers.Origin.ToString();
    var own = context.Request.Host.Value is "127.0.0.1:3000" or "localhost:3000" && (origin is "" or Page);
    context.Response.StatusCode = own ? 200 : 403;
    context.Response.Headers.AccessControlAllowOrigin = Page;
    context.Response.Headers.AccessControlAllowHeaders = "content-type, last-event-id";
    if (own && context.Request.Method != "OPTIONS") await next(context);
});
app.MapGet("/events", async (HttpContext context) =>
{
    context.Response.ContentType = "text/event-stream";
    _ = int.TryParse(context.Request.Headers["Last-Event-ID"], out var sent);
    lock (log) if (sent > log.Count) sent = 0; // the page comes from the server before this one: it gets everything
    while (true)
    {
        string[] news;
        Task more;
        lock (log) (news, more) = (log.Skip(sent).ToArray(), grown.Task);
        sent += news.Length;
        foreach (var message in news) await context.Response.WriteAsync(message, context.RequestAborted);
        await context.Response.Body.FlushAsync(context.RequestAborted);
        await more.WaitAsync(context.RequestAborted);
    }
});
app.MapPost("/rpc", async (JsonObject asked) =>
{
    var (id, method) = (asked["id"]?.DeepClone(), asked["method"]?.GetValue<string>() ?? "");
    try { return Results.Json(new { jsonrpc = "2.0", id, result = await Call(method, asked["params"]!) }); }
    catch (Exception error) { return Results.Json(new { jsonrpc = "2.0", id, error = new { code = -32000, message = error.Message } }); }
});
await app.StartAsync();
if (args.Length > 0) await session.SendAsync(args[0]);
await app.WaitForShutdownAsync();
