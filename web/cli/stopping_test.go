package cli

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"inkfeed/cosmos/media"
	"inkfeed/domain"
	"inkfeed/web/cli/config"
)

// A server is told to stop while some send slowly, some read slowly, and others do what
// they do as fast as they can. What it has begun to answer is answered in full, what it has
// acknowledged is there afterwards, and its end is a good one.
func TestAServerThatStopsLosesNoRequest(t *testing.T) {
	data := t.TempDir()
	env := map[string]string{"INKFEED_DATA": data, "INKFEED_DRAIN_TIME": "500ms", "INKFEED_FINISH_TIME": "1m"}
	var log logs
	server := spawn(t, env, &log, "--addr", "127.0.0.1:0")
	defer server.kill()
	heard := &hearing{ids: map[string]bool{}}
	ada := newVisitor(t, server.address)
	ada.http.Transport = heard.on(&http.Transport{})
	ada.signUp("ada")
	large := largePicture(t, filepath.Join(data, config.MediaFolder))
	comments := "/posts/" + strings.Split(ada.publish("A short post", "text").url.Path, "/")[2] + "/comments"
	visitor := func(transport *http.Transport) *visitor {
		v := *ada
		v.http.Transport = heard.on(transport)
		v.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		return &v
	}

	const each = 10
	var all, begun sync.WaitGroup
	var acknowledged sync.Map // where comments are, and what they say
	stopped, unheard := make(chan struct{}), make(chan struct{})
	for n := range each {
		begun.Add(2)
		// A handler that reads the form has said "100 Continue".
		sender := visitor(&http.Transport{ExpectContinueTimeout: time.Minute})
		all.Go(func() {
			at, err := sender.comment(comments, fmt.Sprint("slow-", n), unheard, begun.Done)
			if err != nil {
				t.Errorf("a form that was being read: %v", err)
			}
			acknowledged.Store(at, fmt.Sprint("slow-", n))
		})
		// Most of the picture does not fit between the server and its reader.
		reader := visitor(&http.Transport{DisableCompression: true, DialContext: (&net.Dialer{Control: narrow}).DialContext})
		all.Go(func() {
			if err := reader.read(large, begun.Done, unheard); err != nil {
				t.Errorf("a picture that was being sent: %v", err)
			}
		})
	}
	for n := range 4 {
		begun.Add(1)
		v := visitor(&http.Transport{})
		all.Go(func() {
			for i := 0; ; i++ {
				content := fmt.Sprintf("busy-%d-%d", n, i)
				at, err := v.comment(comments, content, nil, nil)
				if err == nil {
					acknowledged.Store(at, content)
					err = v.read("/", nil, nil)
				}
				if i == 0 {
					begun.Done()
				}
				switch {
				case err == nil:
				case isOpen(stopped):
					t.Errorf("before it was to stop: %v", err)
					return
				default: // nobody listens any more
					return
				}
			}
		})
	}
	begun.Wait()
	if strings.Contains(log.String(), "route=/media/") {
		t.Fatalf("a slow reader has all of it already: %s", log.String())
	}

	close(stopped)
	if err := server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(server.address)
	eventually(t, "new connections are refused", func() bool {
		conn, err := net.Dial("tcp", u.Host)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(unheard)
	if err := server.ended(); err != nil {
		t.Errorf("the end: %v\n%s", err, log.warnings())
	}
	all.Wait()
	done := loggedRequest.FindAllStringSubmatch(log.String(), -1)
	if len(done) < 3*each {
		t.Fatalf("only %d requests are in the log", len(done))
	}
	for _, line := range done {
		if !heard.ids[line[1]] {
			t.Errorf("this was done, and nobody has its answer: %s", line[0])
		}
	}

	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	later, slow := newVisitor(t, base), 0
	for at, content := range acknowledged.Range {
		_, fragment, _ := strings.Cut(at.(string), "#")
		// Its page may be another one by now: one made earlier may have been stored later.
		permalink := comments + "/" + strings.TrimPrefix(fragment, "comment-")
		if found := words(later.get(permalink).Find("#" + fragment)); !strings.Contains(found, content.(string)) {
			t.Errorf("%s was published at %s; at %s there is %q", content, at, permalink, found)
		}
		if strings.HasPrefix(content.(string), "slow") {
			slow++
		}
	}
	if slow != each {
		t.Errorf("%d of the slow comments were acknowledged, want %d", slow, each)
	}
	t.Logf("%d requests; %d comments", len(done), lengthOf(&acknowledged))
	stop()
	verified(t, env, "--wait")
}

var loggedRequest = regexp.MustCompile(`msg=request .*request_id=(\S+)`)

// comment publishes one, the rest of its form once that may be, and returns where it is.
func (v *visitor) comment(comments, content string, rest <-chan struct{}, begun func()) (at string, err error) {
	var body io.Reader = strings.NewReader("content=" + content)
	header := fromThisSite()
	ctx := v.t.Context()
	if begun != nil {
		body = io.MultiReader(body, after(rest))
		header.Set("Expect", "100-continue")
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: begun})
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.base+comments, body)
	if err != nil {
		return "", err
	}
	req.Header = header
	resp, err := v.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusSeeOther {
		return "", errors.New(resp.Status)
	}
	return resp.Header.Get("Location"), nil
}

// read reads the beginning of what is there, and the rest once that may be.
func (v *visitor) read(path string, begun func(), rest <-chan struct{}) error {
	resp, err := v.http.Get(v.base + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	if _, err := io.CopyN(io.Discard, resp.Body, 100); err != nil {
		return err
	}
	if begun != nil {
		begun()
		<-rest
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// largePicture is the address of a file of 16 MB, which nothing but its name makes a picture.
func largePicture(t *testing.T, folder string) string {
	t.Helper()
	content := make([]byte, 16<<20)
	name := domain.NewImageName("nobody", content, 100, 100, domain.ExtPNG)
	if err := media.NewDisk(folder).Put(t.Context(), name.String(), content); err != nil {
		t.Fatal(err)
	}
	return name.Path()
}

// narrow makes a connection's buffer small, before it tells the server how small.
func narrow(_, _ string, c syscall.RawConn) (err error) {
	failed := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
	return errors.Join(failed, err)
}

// after is a reader of nothing, which ends once it may.
type after <-chan struct{}

func (a after) Read([]byte) (int, error) {
	<-a
	return 0, io.EOF
}

func isOpen(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

func lengthOf(m *sync.Map) (n int) {
	for range m.Range {
		n++
	}
	return n
}

// hearing knows the requests whose answers have come in full.
type hearing struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (h *hearing) on(t http.RoundTripper) http.RoundTripper {
	return tripper(func(req *http.Request) (*http.Response, error) {
		resp, err := t.RoundTrip(req)
		if err == nil {
			resp.Body = &heardBody{resp.Body, h, resp.Header.Get("X-Request-Id")}
		}
		return resp, err
	})
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

type heardBody struct {
	io.ReadCloser
	*hearing
	id string
}

func (b *heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ids[b.id] = true
	}
	return n, err
}
