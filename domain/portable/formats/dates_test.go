package formats_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

func TestDateIsReadFromFrontMatter(t *testing.T) {
	for line, want := range map[string]string{
		"date: 2020-01-02":                             "2020-01-02 -",
		"date: 2020-01-02T03:04:05Z":                   "2020-01-02 03:04:05 UTC",
		"date: 2020-01-02T03:04:05+01:00":              "2020-01-02 02:04:05 UTC",
		"date: 2020-01-02 03:04":                       "2020-01-02 08:04:00 UTC", // the site is in New York
		"date: 2020-07-02 03:04":                       "2020-07-02 07:04:00 UTC",
		"date: 2020-01-02 03:04:05 +0200":              "2020-01-02 01:04:05 UTC",
		"date: 2020-01-02 03:04:05-0500":               "2020-01-02 08:04:05 UTC",
		"date: 2020-01-02 03:04+01:00":                 "2020-01-02 02:04:00 UTC",
		"date: 2020-01-02 03:04:05 CET":                "2020-01-02 02:04:05 UTC",
		"date: 2020-01-02 03:04:05 Asia/Tokyo":         "2020-01-01 18:04:05 UTC",
		"date: 2020-01-02 3:04 PM":                     "2020-01-02 20:04:00 UTC",
		"date: 2020/1/2":                               "2020-01-02 -",
		"date: Jan 2, 2020":                            "2020-01-02 -",
		"date: January 2nd, 2020":                      "2020-01-02 -",
		"date: Thursday, January 2, 2020":              "2020-01-02 -",
		"date: 2 January 2020 03:04":                   "2020-01-02 08:04:00 UTC",
		"date: Thu, 02 Jan 2020 03:04:05 GMT":          "2020-01-02 03:04:05 UTC",
		"date: 2.1.2020":                               "2020-01-02 -",
		"date: 13/01/2020":                             "2020-01-13 -",
		"date: 01/13/2020":                             "2020-01-13 -",
		"date: 20200102":                               "2020-01-02 -",
		"date: 1577934245":                             "2020-01-02 03:04:05 UTC",
		"date: '1577934245000'":                        "2020-01-02 03:04:05 UTC",
		"date created: 2020-01-02":                     "2020-01-02 -",
		"created: 2020-01-02 03:04":                    "2020-01-02 08:04:00 UTC",
		"created_at: 2020-01-02":                       "2020-01-02 -",
		"pubDate: Jan 02 2020":                         "2020-01-02 -",
		"published: 2020-01-02":                        "2020-01-02 -",
		"datePublished: 2020-01-02":                    "2020-01-02 -",
		"Creation-Date: 2020-01-02":                    "2020-01-02 -",
		"lastmod: 2020-01-02":                          "2020-01-02 -",
		"published: true\ncreated: 2020-01-02":         "2020-01-02 -",
		"date: someday\ncreated: 2020-01-02":           "2020-01-02 -",
		"updated: 2021-01-01\npublishDate: 2020-01-02": "2020-01-02 -",
	} {
		t.Run(line, func(t *testing.T) {
			p := read(t, map[string]string{"hugo.toml": "timeZone = 'America/New_York'", "content/posts/a.md": "---\n" +
				line + "\n---\ntext\n"}).Posts[0]
			got := p.Created.UTC().Format("2006-01-02 15:04:05 MST")
			if strings.HasSuffix(want, " -") {
				got = p.Created.Format("2006-01-02") + " -"
				want = want[:10] + " -"
			}
			if got != want || p.DateOnly != strings.HasSuffix(want, " -") {
				t.Errorf("%s, date only: %v, want %s", got, p.DateOnly, want)
			}
		})
	}
	t.Run("in TOML", func(t *testing.T) {
		for line, want := range map[string]bool{"2020-01-02": true, "2020-01-02T03:04:05": false,
			"2020-01-02T03:04:05Z": false} {
			p := read(t, map[string]string{"hugo.toml": "", "content/a.md": "+++\ndate = " + line +
				"\n+++\ntext\n"}).Posts[0]
			if p.Created.Format(time.DateOnly) != "2020-01-02" || p.DateOnly != want {
				t.Errorf("%s: %s, date only: %v", line, p.Created, p.DateOnly)
			}
		}
	})
	t.Run("reports an ambiguous date", func(t *testing.T) {
		b := read(t, map[string]string{"a.md": "---\ndate: 01/02/2020\n---\ntext\n"})
		if len(problems(b, `"01/02/2020" is not understood as a date`)) != 1 || !b.Posts[0].Created.IsZero() {
			t.Errorf("%s, problems %v", b.Posts[0].Created, b.Problems)
		}
	})
}

func TestDateIsReadFromTheFileName(t *testing.T) {
	for name, want := range map[string]string{
		"2020-01-02-title.md":        "2020-01-02",
		"2020-01-02 Some title.md":   "2020-01-02",
		"2020-01-02.md":              "2020-01-02",
		"2020-1-2-title.md":          "2020-01-02",
		"20200102.md":                "2020-01-02",
		"20200102-title.md":          "2020-01-02",
		"202001021530 title.md":      "2020-01-02",
		"2020_01_02_title.md":        "2020-01-02",
		"2020-01-02-title/index.md":  "2020-01-02",
		"blog/2020/01/02/title.md":   "2020-01-02",
		"2020/01/02-title.md":        "2020-01-02",
		"2020/01/02/title/index.md":  "2020-01-02",
		"2020-01/title.md":           "2020-01-01",
		"blog/2020/01/title.md":      "2020-01-01",
		"2020-13-02-title.md":        "",
		"2020-02-30-title.md":        "",
		"chapter-2020-01-02.md":      "",
		"1234567890 things to do.md": "",
		"title.md":                   "",
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, map[string]string{name: "text\n"}).Posts[0]
			got := ""
			if !p.Created.IsZero() {
				got = p.Created.Format(time.DateOnly)
			}
			if got != want || p.DateOnly != (want != "") {
				t.Errorf("%q, date only: %v, want %q", got, p.DateOnly, want)
			}
		})
	}
}

func TestDateSourcesAreTriedInOrder(t *testing.T) {
	changed := time.Date(2015, 6, 7, 8, 9, 10, 0, time.UTC)
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"2020-01-02-a.md": "---\ntitle: By front matter\ndate: 2019-05-06\nlastmod: 2022-01-01\n---\ntext\n",
		"2020-01-02-b.md": "---\ntitle: By name\nlastmod: 2022-01-01\n---\ntext\n",
		"o.md":            "---\ntitle: By address\nurl: /2018/03/04/title.html\nlastmod: 2022-01-01\n---\ntext\n",
		"2020-01-02-p.md": "---\ntitle: By name, not address\npath: 2018/03/04/title\n---\ntext\n",
		"c.md":            "---\ntitle: By last change\nlastmod: 2022-01-01\n---\ntext\n",
		"d.md":            "---\ntitle: By time of the file\n---\ntext\n",
		"draft.md":        "---\ntitle: Draft\ndraft: true\n---\ntext\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text), ModTime: changed}
	}
	files["e.md"] = &fstest.MapFile{Data: []byte("---\ntitle: None\n---\ntext\n")}
	files["f.md"] = &fstest.MapFile{Data: []byte("---\ntitle: None, by the time of a zip without times\n---\ntext\n"),
		ModTime: time.Date(1979, 11, 30, 0, 0, 0, 0, time.UTC)}
	files["g.md"] = &fstest.MapFile{Data: []byte("---\ntitle: None, by a clock that is wrong\n---\ntext\n"),
		ModTime: now.AddDate(1, 0, 0)}
	b, err := formats.Read([]fs.FS{files}, now)
	if err != nil {
		t.Fatal(err)
	}
	for title, want := range map[string]string{"By front matter": "2019-05-06", "By name": "2020-01-02",
		"By address": "2018-03-04", "By name, not address": "2020-01-02",
		"By last change": "2022-01-01", "By time of the file": "2015-06-07",
		"None": "0001-01-01", "None, by the time of a zip without times": "0001-01-01",
		"None, by a clock that is wrong": "0001-01-01"} {
		if got := find(t, b, title).Created.Format(time.DateOnly); got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
	want := []string{"dates from front matter: 1", "dates from the names of files and folders: 2",
		"dates from the addresses in front matter: 1", "dates from front matter's last change: 1",
		"dates from the files' modification times: 1", "dated today, because they have no date: 3"}
	if !slices.Equal(b.Notes, want) {
		t.Errorf("notes %q, want %q", b.Notes, want)
	}
	if len(problems(b, "3 posts have no date anywhere")) != 1 {
		t.Errorf("problems %v", b.Problems)
	}
}

// repository creates a git repository with two posts, one of which was renamed.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(date string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c",
			"commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_DATE="+date,
			"GIT_COMMITTER_DATE="+date)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("", "init", "-q")
	write("old.md", "# Renamed\n\nA text of some length, so that it is known again.\n")
	git("", "add", ".")
	git("2011-01-02T03:04:05Z", "commit", "-q", "-m", "one")
	git("", "mv", "old.md", "new.md")
	write("second.md", "# Second\n\nAnother text.\n")
	git("", "add", ".")
	git("2012-01-02T03:04:05Z", "commit", "-q", "-m", "two")
	write("second.md", "# Second\n\nAnother text, edited.\n")
	write("uncommitted.md", "# Uncommitted\n\ntext\n")
	git("", "add", "second.md")
	git("2013-01-02T03:04:05Z", "commit", "-q", "-m", "three")
	return dir
}

func openFolder(t *testing.T, dir string) *portable.Blog {
	t.Helper()
	b, closeBlog, err := formats.Open(dir, portable.Options{}, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeBlog)
	return b
}

func TestDateIsReadFromTheRepositorysHistory(t *testing.T) {
	dir := repository(t)
	for title, year := range map[string]int{"Renamed": 2011, "Second": 2012, "Uncommitted": time.Now().Year()} {
		if got := find(t, openFolder(t, dir), title).Created.Year(); got != year {
			t.Errorf("%s is dated %d, want %d", title, got, year)
		}
	}
	t.Run("with packed references", func(t *testing.T) {
		cmd := exec.Command("git", "pack-refs", "--all")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got := find(t, openFolder(t, dir), "Second").Created.Year(); got != 2012 {
			t.Errorf("the second post is dated %d", got)
		}
	})
	t.Run("only if a post needs it", func(t *testing.T) {
		dir := repository(t)
		if err := errors.Join(os.RemoveAll(dir+"/.git/objects"), os.Remove(dir+"/new.md"), os.Remove(dir+"/second.md"),
			os.Remove(dir+"/uncommitted.md"),
			os.WriteFile(dir+"/dated.md", []byte("---\ndate: 2020-01-01\n---\ntext\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if b := openFolder(t, dir); len(b.Problems) > 0 {
			t.Errorf("problems %v", b.Problems)
		}
	})
	for name, spoil := range map[string]func(dir string) error{
		"is shallow": func(dir string) error {
			return os.WriteFile(dir+"/.git/shallow", []byte("x\n"),
				0o600)
		},
		"its last commit": func(dir string) error {
			return os.WriteFile(dir+"/.git/HEAD",
				[]byte("ref: ../../outside\n"), 0o600)
		},
		"its objects are not in": func(dir string) error { return os.Rename(dir+"/.git/objects", dir+"/.git/away") },
		"git: exit status": func(dir string) error {
			return os.WriteFile(dir+"/.git/HEAD", []byte(strings.Repeat("ab", 20)+"\n"), 0o600)
		},
		"are partly elsewhere": func(dir string) error {
			return os.WriteFile(dir+"/.git/objects/info/alternates", []byte("/\n"), 0o600)
		},
	} {
		t.Run("or the report says: "+name, func(t *testing.T) {
			dir := repository(t)
			if err := errors.Join(os.MkdirAll(dir+"/.git/objects/info", 0o700), spoil(dir)); err != nil {
				t.Fatal(err)
			}
			b := openFolder(t, dir)
			if len(problems(b, "the repository's history was not read")) != 1 || len(problems(b, name)) != 1 {
				t.Errorf("problems %v", b.Problems)
			}
			if got := find(t, b, "Second").Created.Year(); got != time.Now().Year() {
				t.Errorf("the second post is dated %d", got)
			}
		})
	}
}

func TestRepositoryCannotStartPrograms(t *testing.T) {
	dir := repository(t)
	trace := filepath.Join(t.TempDir(), "started")
	program := filepath.Join(dir, "program")
	script := "#!/bin/sh\ntouch '" + trace + "'\nexit 1\n"
	config := "\n[core]\n\tfsmonitor = " + program + "\n\tpager = " + program + "\n\tsshCommand = " + program +
		"\n\thooksPath = " + dir +
		"\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = " + program + "\n[diff]\n\texternal = " + program +
		"\n[alias]\n\tlog = !" + program +
		"\n[diff \"x\"]\n\ttextconv = " + program + "\n\tcommand = " + program + "\n"
	file, err := os.OpenFile(dir+"/.git/config", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(config)
	if err := errors.Join(err, file.Close(), os.WriteFile(program, []byte(script), 0o700),
		os.MkdirAll(dir+"/.git/info", 0o700), os.WriteFile(dir+"/.git/info/attributes", []byte("* diff=x\n"),
			0o600)); err != nil {
		t.Fatal(err)
	}
	sign(t, dir)
	if got := find(t, openFolder(t, dir), "Second").Created.Year(); got != 2012 {
		t.Errorf("the second post is dated %d", got)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("the repository's configuration started a program")
	}
}

// sign signs the last commit of a repository. Git calls a program to check the signature if the repository's
// configuration says so.
func sign(t *testing.T, dir string) {
	t.Helper()
	git := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "core.fsmonitor=false", "-c", "log.showSignature=false"},
			args...)...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	head, message, _ := strings.Cut(git("", "cat-file", "commit", "HEAD"), "\n\n")
	head += "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
	name := strings.TrimSpace(git(head+"\n\n"+message, "hash-object", "-t", "commit", "-w", "--stdin"))
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte(name+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
