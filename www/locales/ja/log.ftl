all-events = イベント { $figure } 件
some-events = イベント { $figure } 件中 { $shown } 件
full = { $counted }。ログがいっぱいのため、ほかの { $missed } 件は含まれていません
left-out = 後のイベントで置き換えられた { $figure } 件は、ここに含まれていません。
load-all = すべて読み込む
not-loaded = 置き換えられたイベントを読み込めませんでした。
of-entry = { $entry }: イベント { $figure } 件
all-of-these = これらのイベントすべて

events = イベント
nothing-yet = まだ何も受信していません。
nothing-like-that = 該当するイベントはありません。
ephemeral = 一時的
seen-before = 受信済み

event = イベント { $at }
close-event = イベントを閉じる
go-to-entry = 項目へ移動
show-moment = この時点を表示
the-event = イベント
json = イベントの JSON

raw-events = 生のイベント
raw-events-key = 生のイベント（i）

event-type = イベントの種類
by-type = イベントの種類で絞り込み
by-family = 分類で絞り込み

assistant = アシスタント
tool = ツール
session = セッション
permission = 許可
user-input = ユーザー入力
sub-agent = サブエージェント
skill = スキル
control = 制御
user = ユーザー
system = システム
external-tool = 外部ツール
command = コマンド
plan-mode = 計画モード
mode = モード
queue = キュー
model = モデル
limits = 上限
hook = フック
mcp = MCP
workspace = ワークスペース
schedule = スケジュール
factory = ファクトリー
workflow = ワークフロー
fusion = Fusion
canvas = キャンバス
extension = 拡張機能
policy = ポリシー
timeline = タイムライン
platform = プラットフォーム
gateway = ゲートウェイ
other = その他

open-file = ファイルを開く
file-broken = { $file } を最後まで読み込めませんでした。読み込めた部分を表示しています。

scrubber = ログ内のイベント
position = イベント { $at } / { $all }
play = 再生
pause = 一時停止
turn-before = 前のターン
next-turn = 次のターン
speed = 速度
fastest = 最速
close = 閉じる
reading = ログを読み込んでいます… { $percent }%
to-now = 現在に戻る

replaying = { $file } を再生しています。ライブセッションは背後で続いています。
replaying-past = { $file } の過去の時点を表示しています。
past = 過去の時点を表示しています。セッションは背後で続いています。ここでは回答できません。
to-live = ライブセッションに戻る
