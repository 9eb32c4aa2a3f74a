package commands

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
	"inkfeed/web/cli/systemtest/harness"
)

// TestStoppingServerCompletesItsRequests stops a server while some clients send slowly, some read slowly, and others
// send requests as fast as they can. The server completes every response that it has begun, keeps every write that it
// has acknowledged, and exits with success.
func TestStoppingServerCompletesItsRequests(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	env := map[string]string{"INKFEED_DATA": data, "INKFEED_DRAIN_TIME": "500ms", "INKFEED_FINISH_TIME": "1m"}
	var log harness.Logs
	server := harness.Spawn(t, env, &log, "--addr", "127.0.0.1:0")
	defer server.Kill()
	received := &responseLog{ids: map[string]bool{}}
	ada := harness.NewVisitor(t, server.Address)
	ada.HTTP.Transport = received.wrap(&http.Transport{})
	ada.SignUp("ada")
	large := largePicture(t, filepath.Join(data, config.MediaFolder))
	comments := "/posts/" + strings.Split(ada.Publish("A short post", "text").URL.Path, "/")[2] + "/comments"
	visitor := func(transport *http.Transport) *harness.Visitor {
		v := *ada
		v.HTTP.Transport = received.wrap(transport)
		v.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		return &v
	}

	const each = 10
	var all, begun sync.WaitGroup
	var acknowledged sync.Map // from the address of a comment to its content
	stopped, resumed := make(chan struct{}), make(chan struct{})
	for n := range each {
		begun.Add(2)
		// "100 Continue" shows that the handler is reading the form.
		sender := visitor(&http.Transport{ExpectContinueTimeout: time.Minute})
		all.Go(func() {
			at, err := sendComment(sender, comments, fmt.Sprint("slow-", n), resumed, begun.Done)
			if err != nil {
				t.Errorf("sending a form slowly: %v", err)
			}
			acknowledged.Store(at, fmt.Sprint("slow-", n))
		})
		// The buffers between the server and the reader cannot hold the picture.
		dialer := &net.Dialer{Control: shrinkReceiveBuffer}
		reader := visitor(&http.Transport{DisableCompression: true, DialContext: dialer.DialContext})
		all.Go(func() {
			if err := readInParts(reader, large, begun.Done, resumed); err != nil {
				t.Errorf("reading a picture slowly: %v", err)
			}
		})
	}
	for n := range 4 {
		begun.Add(1)
		v := visitor(&http.Transport{})
		all.Go(func() {
			for i := 0; ; i++ {
				content := fmt.Sprintf("busy-%d-%d", n, i)
				at, err := sendComment(v, comments, content, nil, nil)
				if err == nil {
					acknowledged.Store(at, content)
					err = readInParts(v, "/", nil, nil)
				}
				if i == 0 {
					begun.Done()
				}
				switch {
				case err == nil:
				case isOpen(stopped):
					t.Errorf("a request before the stop: %v", err)
					return
				default: // the server no longer accepts connections
					return
				}
			}
		})
	}
	begun.Wait()
	if strings.Contains(log.String(), "route=/media/") {
		t.Fatalf("the server has already sent a whole picture to a slow reader: %s", log.String())
	}

	close(stopped)
	if err := server.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(server.Address)
	harness.Eventually(t, "new connections are refused", func() bool {
		conn, err := net.Dial("tcp", u.Host)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(resumed)
	if err := server.Ended(); err != nil {
		t.Errorf("the server exits with %v\n%s", err, log.Warnings())
	}
	all.Wait()
	completed := loggedRequest.FindAllStringSubmatch(log.String(), -1)
	if len(completed) < 3*each {
		t.Fatalf("only %d requests are in the log", len(completed))
	}
	for _, line := range completed {
		if !received.ids[line[1]] {
			t.Errorf("the server completed a request, but no client received its response: %s", line[0])
		}
	}

	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	later, slow := harness.NewVisitor(t, base), 0
	for at, content := range acknowledged.Range {
		_, fragment, _ := strings.Cut(at.(string), "#")
		// The comment can be on another page by now, because comments with earlier times can be stored later.
		permalink := comments + "/" + strings.TrimPrefix(fragment, "comment-")
		found := harness.Text(later.Get(permalink).Find("#" + fragment))
		if !strings.Contains(found, content.(string)) {
			t.Errorf("the comment %s was published at %s, but %s shows %q", content, at, permalink, found)
		}
		if strings.HasPrefix(content.(string), "slow") {
			slow++
		}
	}
	if slow != each {
		t.Errorf("%d of the slow comments were acknowledged, want %d", slow, each)
	}
	t.Logf("%d requests; %d comments", len(completed), lengthOf(&acknowledged))
	stop()
	harness.Verify(t, env, "--wait")
}

var loggedRequest = regexp.MustCompile(`msg=request .*request_id=(\S+)`)

// sendComment publishes a comment and returns its address. If begun is not nil, it calls begun when the server reads
// the form, and sends the end of the form when rest is closed.
func sendComment(v *harness.Visitor, comments, content string, rest <-chan struct{}, begun func()) (string, error) {
	var body io.Reader = strings.NewReader("content=" + content)
	header := harness.FormHeader()
	ctx := v.T.Context()
	if begun != nil {
		body = io.MultiReader(body, delayedEOF(rest))
		header.Set("Expect", "100-continue")
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: begun})
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.Base+comments, body)
	if err != nil {
		return "", err
	}
	req.Header = header
	resp, err := v.HTTP.Do(req)
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

// readInParts reads the first bytes of a page, calls begun, and reads the rest after the channel rest is closed.
// If begun is nil, it reads the page without a pause.
func readInParts(v *harness.Visitor, path string, begun func(), rest <-chan struct{}) error {
	resp, err := v.HTTP.Get(v.Base + path)
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

// largePicture stores a file of 16 MB with the name of a picture and returns its address.
func largePicture(t *testing.T, folder string) string {
	t.Helper()
	content := make([]byte, 16<<20)
	name := domain.NewImageName("nobody", content, 100, 100, domain.ExtPNG)
	if err := media.NewDisk(folder).Put(t.Context(), name.String(), content); err != nil {
		t.Fatal(err)
	}
	return name.Path()
}

// shrinkReceiveBuffer makes the receive buffer of a connection small. It runs before the connection announces its
// window.
func shrinkReceiveBuffer(_, _ string, c syscall.RawConn) (err error) {
	controlErr := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
	})
	return errors.Join(controlErr, err)
}

// delayedEOF is an empty reader that ends when its channel is closed.
type delayedEOF <-chan struct{}

func (d delayedEOF) Read([]byte) (int, error) {
	<-d
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

// responseLog collects the IDs of requests whose responses were read to the end.
type responseLog struct {
	mu  sync.Mutex
	ids map[string]bool
}

// wrap returns a transport that records the responses of another one.
func (l *responseLog) wrap(t http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		resp, err := t.RoundTrip(req)
		if err == nil {
			resp.Body = &loggedBody{resp.Body, l, resp.Header.Get("X-Request-Id")}
		}
		return resp, err
	})
}

// roundTripper is a function that implements http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// loggedBody is a response body that adds the ID of its request to the log when it has been read to the end.
type loggedBody struct {
	io.ReadCloser
	*responseLog
	id string
}

func (b *loggedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ids[b.id] = true
	}
	return n, err
}
