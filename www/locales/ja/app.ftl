### アプリとしてのページ: この端末への通知、新しいバージョン、ネットワークなし。

# In the page's menu. It opens the dialog of this name.
notify = この端末に通知
# A switch.
on = セッションが応答を待っているとき、この端末に知らせる
# Over the choices below it: how much a notification says.
says = 通知の内容
says-waiting = 待っていることだけ
says-title = セッションのタイトル
says-asked = 求められている内容
done = ターンの完了も知らせる
hint = 通知はリクエストを開き、そこで回答します。通知は暗号化され、ブラウザー提供元のサービスが中継します。
# A button; what it says then; the title of the notification.
test = テストを送信
test-sent = メッセージを送信しました。1 分以内に届かない場合は、システムでこのブラウザーの通知が表示されるか確認してください。
test-arrived = Pilothouse はこの端末に届きます
close = 閉じる

## Why it does not work here.
needs-https = 通知には https が必要です。このページを https のアドレスか、ゲートウェイのマシン上で開いてください。
needs-install = iPhone や iPad では、まずこのページをホーム画面に追加し（共有、ホーム画面に追加）、そこから開いてください。
blocked = このブラウザーはこのページの通知をブロックしています。ブラウザーのこのページの設定で許可してください。
unsupported = このブラウザーにはプッシュ通知がありません。
no-worker = プライベートウィンドウなどでは、このブラウザーはページをバックグラウンドで動かせません。通常のウィンドウで開いてください。
failed = うまくいきませんでした: { $why }

## Bars at the foot of the page.
new-version = 新しいバージョンがあります
reload = 再読み込み
later = 後で
last-connected = 最後の接続: { $time }。セッションの内容はこの端末に保存されません。

## セッションへのリンク
share = 共有
share-hint = リンクを知っている人はこのセッションを閲覧できます。回答、メッセージ、他のセッションはできません。取り消すとすぐに終わりますが、表示済みの内容はページを離れるまで残ります。
how-long = 期間
hour = 1 時間
day = 1 日
week = 1 週間
make-link = リンクを作成
until = { $time } まで
copy = コピー
copied = コピーしました
take-back = 取り消す
# A link that downloads it; what it is.
save-html = 1 つの HTML ファイルとして保存
save-hint = 現在のセッションを、ほかに何も必要としない 1 つのファイルにします。
not-shared = ここではサインインが不要なので、アドレスを知っている人は何でもできます。セッションを個別に共有するには、ゲートウェイを --new-token で起動してください。

phone = スマートフォンで開く
phone-hint = スマートフォンのカメラでこのコードを読み取ってください。このゲートウェイが開き、そこでサインインします。
phone-open = スマートフォンのカメラでこのコードを読み取ってください。
phone-code = 下のアドレスの QR コード
phone-sign-in = スマートフォンでもサインインする
phone-signs-in = このコードを読み取った人は、{ $minutes } 分以内に一度だけ、あなたとしてサインインします。
phone-not-reached = このアドレスはどの端末でもその端末自身を指すため、スマートフォンでは開けません。ゲートウェイには、スマートフォンから届く https の名前が必要です。Tailscale やプロキシが名前を用意します。--allow-host にその名前を指定して起動してください。

sign-out = サインアウト
sign-out-as = { $name } をサインアウト

by-link = リンクで閲覧しています（{ $time } まで）
