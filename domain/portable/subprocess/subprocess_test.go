package subprocess_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/domain/portable/subprocess"
)

// TestMain runs the test binary as the child if it is started as such.
func TestMain(m *testing.M) {
	switch {
	case subprocess.Requested(os.Args):
		os.Exit(subprocess.Serve(os.Stdin, os.Stdout))
	case len(os.Args) == 2 && os.Args[1] == allocate:
		subprocess.LimitProcess(64 << 20)
		fmt.Println(len(make([]byte, 4<<30)))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// allocate is the argument of a process that allocates much more than its limit at once.
const allocate = "allocate"

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// uploaded writes an upload to a file, which stays open until the test ends.
func uploaded(t testing.TB, content []byte) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "upload"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if _, err := file.Write(content); err != nil {
		t.Fatal(err)
	}
	return file
}

// zipped packs files given by their names and contents.
func zipped(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name}) // stored: high ratios are refused
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func newReader(t testing.TB, l subprocess.Limits) *subprocess.Reader {
	return subprocess.NewReader(l, slog.New(slog.NewTextHandler(t.Output(), nil)))
}

// post is the text of a post with a number of bytes of content.
func post(content int) string {
	return "---\ntitle: One\ndate: 2020-01-02\n---\n" + strings.Repeat("Some words. ", content/12) + "\n"
}

// wantReason fails unless an error is a Fault with this text.
func wantReason(t *testing.T, err error, want string) {
	t.Helper()
	if _, isFault := errors.AsType[*portable.Fault](err); !isFault || portable.Explain(err).String() != want {
		t.Errorf("the error is %v, want a fault: %s", err, want)
	}
}

func TestUploadsThatTakeTooMuchAreRefusedWithTheReason(t *testing.T) {
	blog := map[string]string{"hugo.toml": "", "content/posts/one.md": post(1000)}
	large := map[string]string{"hugo.toml": ""}
	for n := range 20 {
		large[fmt.Sprintf("content/posts/%d.md", n)] = post(2 << 20)
	}
	for _, c := range []struct {
		name   string
		limits subprocess.Limits
		files  map[string]string
		want   string
	}{
		{"memory", subprocess.Limits{Memory: 48 << 20, Time: time.Minute}, large,
			"reading it takes more memory than this site allows"},
		{"time", subprocess.Limits{Memory: 192 << 20, Time: time.Millisecond}, blog,
			"reading it takes longer than this site allows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newReader(t, c.limits)
			_, err := r.Read(t.Context(), "blog.zip", uploaded(t, zipped(t, c.files)), portable.Options{}, now)
			wantReason(t, err, c.want)
			if _, err := newReader(t, subprocess.DefaultLimits).Read(t.Context(), "blog.zip",
				uploaded(t, zipped(t, c.files)), portable.Options{}, now); err != nil {
				t.Errorf("with the default limits it is refused: %v", err)
			}
		})
	}
}

func TestFaultsOfReadersAreReturned(t *testing.T) {
	_, err := newReader(t, subprocess.DefaultLimits).Read(t.Context(), "blog.zip", uploaded(t, []byte("PK damaged")),
		portable.Options{}, now)
	wantReason(t, err, "the zip is damaged or incomplete")
}

func TestAFileThatTheChildCannotOpenIsRefused(t *testing.T) {
	file := uploaded(t, zipped(t, map[string]string{"hugo.toml": ""}))
	if err := os.Remove(file.Name()); err != nil {
		t.Fatal(err)
	}
	_, err := newReader(t, subprocess.DefaultLimits).Read(t.Context(), "blog.zip", file, portable.Options{}, now)
	wantReason(t, err, "it cannot be read")
}

func TestReadingEndsWithTheContext(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("the server stops")
	stop(stopped)
	_, err := newReader(t, subprocess.DefaultLimits).Read(ctx, "blog.zip",
		uploaded(t, zipped(t, map[string]string{"one.md": post(100)})), portable.Options{}, now)
	if !errors.Is(err, stopped) {
		t.Errorf("the error is %v", err)
	}
}

func TestTheChildEndsWhenItsInputEnds(t *testing.T) {
	child := exec.Command(os.Args[0], subprocess.Argument)
	if err := child.Run(); child.ProcessState == nil || child.ProcessState.ExitCode() != 64 {
		t.Errorf("the child ended with %v", err)
	}
}

func TestTheChildKnowsNoSecrets(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	t.Setenv("INKFEED_SESSION_KEYS", "secret")
	seen := make(chan string, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	file := uploaded(t, zipped(t, map[string]string{"one.md": post(1 << 20), "two.md": post(3 << 20)}))
	go func() {
		for ctx.Err() == nil {
			for _, p := range children() {
				if env, err := os.ReadFile(filepath.Join("/proc", p, "environ")); err == nil {
					select {
					case seen <- string(env):
					default:
					}
				}
			}
		}
	}()
	_, err := newReader(t, subprocess.DefaultLimits).Read(t.Context(), "a.zip", file, portable.Options{}, now)
	if err != nil {
		t.Fatal(err)
	}
	if env := <-seen; strings.Contains(env, "secret") {
		t.Errorf("the child has the environment %q", env)
	}
}

// children returns the ids of the running children of this process that read uploads.
func children() (ids []string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range lines {
		line, _ := os.ReadFile(name)
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "status"))
		if bytes.HasSuffix(line, []byte("\x00"+subprocess.Argument+"\x00")) &&
			bytes.Contains(status, fmt.Appendf(nil, "\nPPid:\t%d\n", os.Getpid())) {
			ids = append(ids, filepath.Base(filepath.Dir(name)))
		}
	}
	return ids
}

func TestOneLargeAllocationEndsTheChild(t *testing.T) {
	status, _ := os.ReadFile("/proc/self/statm")
	if pages, _, _ := bytes.Cut(status, []byte(" ")); runtime.GOOS != "linux" || len(pages) > 8 {
		t.Skip("there is no limit of the address space, or the race detector has reserved too much of it")
	}
	out, err := exec.Command(os.Args[0], allocate).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("out of memory")) {
		t.Errorf("the process ended with %v: %s", err, out)
	}
}

func TestBlogsAreTheSameAsReadInOneProcess(t *testing.T) {
	exports, err := filepath.Glob("../testdata/*")
	if err != nil || len(exports) < 10 {
		t.Fatal(exports, err)
	}
	for _, name := range exports {
		switch filepath.Ext(name) {
		case ".addresses", ".png", ".md":
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			content, err := os.ReadFile(name)
			if err != nil {
				files := make(map[string]string)
				root := os.DirFS(name)
				if err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					body, err := fs.ReadFile(root, path)
					files[path] = string(body)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				content = zipped(t, files)
			}
			want, err := formats.ReadUpload(filepath.Base(name), bytes.NewReader(content), int64(len(content)),
				portable.Options{}, now)
			if err != nil {
				t.Fatal(err)
			}
			got, err := newReader(t, subprocess.DefaultLimits).Read(t.Context(), filepath.Base(name),
				uploaded(t, content), portable.Options{}, now)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Files.Paths, want.Files.Paths) {
				t.Errorf("the files are %q, want %q", got.Files.Paths, want.Files.Paths)
			}
			got.Files, want.Files = nil, nil
			if path := difference(reflect.ValueOf(*got), reflect.ValueOf(*want)); path != "" {
				t.Errorf("%s differs from that read in one process", path)
			}
		})
	}
}

// difference returns the path of a value in which two blogs differ, or "". An empty list equals nil, and a time the
// same time of day in a zone with another name.
func difference(got, want reflect.Value) string {
	switch v := want.Interface().(type) {
	case time.Time:
		if got := got.Interface().(time.Time); !got.Equal(v) || got.Format(time.RFC3339) != v.Format(time.RFC3339) {
			return " "
		}
		return ""
	case locale.Message:
		if got.Interface().(locale.Message).String() != v.String() {
			return " "
		}
		return ""
	}
	switch want.Kind() {
	case reflect.Struct:
		for i := range want.NumField() {
			if path := difference(got.Field(i), want.Field(i)); path != "" {
				return "." + want.Type().Field(i).Name + path
			}
		}
	case reflect.Slice:
		if got.Len() != want.Len() {
			return " "
		}
		for i := range want.Len() {
			if path := difference(got.Index(i), want.Index(i)); path != "" {
				return fmt.Sprintf("[%d]%s", i, path)
			}
		}
	case reflect.Map:
		if got.Len() != want.Len() {
			return " "
		}
		for _, key := range want.MapKeys() {
			if !got.MapIndex(key).IsValid() || difference(got.MapIndex(key), want.MapIndex(key)) != "" {
				return fmt.Sprintf("[%v]", key)
			}
		}
	case reflect.Pointer:
		if got.IsNil() != want.IsNil() {
			return " "
		}
		if !want.IsNil() {
			return difference(got.Elem(), want.Elem())
		}
	default:
		if !got.Equal(want) {
			return " "
		}
	}
	return ""
}
