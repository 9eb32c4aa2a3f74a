// Package githistory reads when the files of a git repository first appeared in its history.
//
// It calls the command git, because a library would be by far the largest dependency of the program. The repository
// is not trusted. Git sees only its objects, from an empty repository that this package creates. So nothing in the
// configuration, hooks or attributes of the repository can start a program or lead to another folder.
package githistory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var objectName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// maxFiles is the maximum number of paths in a history.
const maxFiles = 500_000

// maxReferences is the maximum size of a file with the names of commits, in bytes.
const maxReferences = 4 << 20

// FirstCommits returns the times when the files of a folder first appeared in the history of its repository, by path.
// The result is empty if the folder has no repository. The folder is given both by its name and as a file system, whose
// links do not lead outside.
func FirstCommits(ctx context.Context, dir string, files fs.FS) (map[string]time.Time, error) {
	repository := filepath.Join(dir, ".git")
	if info, err := os.Lstat(repository); err != nil || !info.IsDir() {
		return map[string]time.Time{}, nil // there is no repository, or it is elsewhere
	}
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("the command git is not installed")
	}
	objects, err := filepath.Abs(filepath.Join(repository, "objects"))
	if err != nil {
		return nil, err
	}
	if info, err := os.Lstat(objects); err != nil || !info.IsDir() {
		return nil, errors.New("its objects are not in it")
	}
	faults := map[string]string{"shallow": "the clone is shallow",
		"objects/info/alternates": "its objects are partly elsewhere"}
	for name, fault := range faults {
		if _, err := os.Lstat(filepath.Join(repository, name)); err == nil {
			return nil, errors.New(fault)
		}
	}
	head, err := lastCommit(files)
	if err != nil {
		return nil, err
	}
	own, err := emptyRepository(len(head) == 64)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(own)
	cmd := exec.CommandContext(ctx, git, "--no-replace-objects", "log", "-z", "--reverse", "--format=%x01%at",
		"--name-status", "--find-renames=70%", "--diff-filter=AR", "--no-ext-diff", "--no-textconv", head, "--")
	cmd.Dir = own
	cmd.Env = []string{"GIT_DIR=" + own, "GIT_OBJECT_DIRECTORY=" + objects,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "HOME=" + own, "LC_ALL=C"}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	commits, err := readLog(output)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("it took too long: %w", ctx.Err())
		}
		return nil, fmt.Errorf("git: %w", err)
	}
	return commits, nil
}

// lastCommit returns the name of the commit that is checked out.
func lastCommit(files fs.FS) (string, error) {
	read := func(name string) string {
		file, err := files.Open(name)
		if err != nil {
			return ""
		}
		defer file.Close()
		body, _ := io.ReadAll(io.LimitReader(file, maxReferences))
		return strings.TrimSpace(string(body))
	}
	head := read(".git/HEAD")
	if ref, ok := strings.CutPrefix(head, "ref: "); ok && fs.ValidPath(ref) {
		head = read(".git/" + ref)
		for line := range strings.Lines(read(".git/packed-refs")) {
			if name, packed, _ := strings.Cut(strings.TrimSpace(line), " "); head == "" && packed == ref {
				head = name
			}
		}
	}
	if !objectName.MatchString(head) {
		return "", errors.New("its last commit was not found")
	}
	return head, nil
}

// emptyRepository creates a repository without objects in a temporary folder. The caller removes it.
func emptyRepository(sha256 bool) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "inkfeed-history-"); err != nil {
		return "", err
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if sha256 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	err = errors.Join(os.Mkdir(filepath.Join(dir, "refs"), 0o700), os.Mkdir(filepath.Join(dir, "objects"), 0o700),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// readLog reads git's log, oldest commits first. Each commit's time precedes the files that it added or renamed. A
// renamed file keeps the time of its first name.
func readLog(r io.Reader) (map[string]time.Time, error) {
	first := make(map[string]time.Time)
	words := bufio.NewScanner(r)
	words.Buffer(nil, 1<<16)
	words.Split(splitAtZero)
	var at time.Time
	next := func() string {
		if words.Scan() {
			return words.Text()
		}
		return ""
	}
	for words.Scan() {
		word := strings.TrimLeft(words.Text(), "\n")
		if seconds, ok := strings.CutPrefix(word, "\x01"); ok {
			n, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("git: %q is not a time", seconds)
			}
			at = time.Unix(n, 0).UTC()
			continue
		}
		switch {
		case strings.HasPrefix(word, "A"):
			if name := next(); first[name].IsZero() {
				first[name] = at
			}
		case strings.HasPrefix(word, "R"):
			from, name := next(), next()
			if then := first[from]; !then.IsZero() {
				first[name] = then
			} else if first[name].IsZero() {
				first[name] = at
			}
		}
		if len(first) > maxFiles {
			return nil, errors.New("it has too many files")
		}
	}
	return first, words.Err()
}

// splitAtZero is a bufio.SplitFunc for texts that end with a zero byte.
func splitAtZero(data []byte, atEOF bool) (int, []byte, error) {
	for i, c := range data {
		if c == 0 {
			return i + 1, data[:i], nil
		}
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
