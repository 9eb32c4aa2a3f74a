package performance

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/web/cli/systemtest/harness"
)

const (
	busyPairs   = 6
	busyRound   = 2 * time.Second
	busyWriters = 24
	likeRate    = 100 // per second
	commentRate = 10  // per second
	busyReaders = 32
	checkers    = 4
)

// measureBusy reads the front page, alternately without writes and while its posts are liked and commented on. Besides
// the measured readers, checkers read the counts of likes and comments.
func measureBusy(t *testing.T, p *performance) finding {
	server := p.many.serve(t)
	posts := p.many.pages().fed
	writers := signedUp(t, server.Address, busyWriters)
	var likes, comments, refused atomic.Int64
	write := func(n int, path, body string) {
		status, err := writers[n%len(writers)].submit(server.Address, path, body)
		if err != nil || status != http.StatusSeeOther {
			refused.Add(1)
		}
	}
	var liked int // each account likes each post once
	load := func() (end func()) {
		var writing sync.WaitGroup
		endLikes := during(time.Second/likeRate, func(int) {
			n := liked
			liked++
			if n >= len(writers)*len(posts) {
				t.Error("each account likes each post already")
				return
			}
			writing.Go(func() {
				write(n, "/posts/"+posts[n/len(writers)].ID+"/like", "")
				likes.Add(1)
			})
		})
		endComments := during(time.Second/commentRate, func(n int) {
			writing.Go(func() {
				body := "content=" + url.QueryEscape(fmt.Sprint("One more thought, number ", n))
				write(n, "/posts/"+posts[n%20].ID+"/comments", body)
				comments.Add(1)
			})
		})
		return func() {
			endLikes()
			endComments()
			writing.Wait()
		}
	}

	var backwards atomic.Int64
	var ends []func()
	for range checkers {
		w, seen := dial(t, server.Address), make(map[string]int)
		ends = append(ends, during(20*time.Millisecond, func(n int) {
			if status, err := w.do(plainRequest("/")); err != nil || status != http.StatusOK {
				return
			}
			for address, count := range countsIn(t, w.body) {
				if count < seen[address] && backwards.Add(1) < 5 {
					t.Errorf("%s went from %d back to %d", address, seen[address], count)
				}
				seen[address] = count
			}
		}))
	}
	wires, asked := dialAll(t, server.Address, busyReaders), always(request("/"))
	hammer(t, wires, busyRound/2, asked)
	var ratios, quiet, busy []float64
	var begun time.Duration
	for i := range busyPairs {
		one := func(busyTurn bool) float64 {
			if !busyTurn {
				l := hammer(t, wires, busyRound, asked)
				quiet = append(quiet, l.perSecond())
				return l.perSecond()
			}
			end := load()
			begin := time.Now()
			l := hammer(t, wires, busyRound, asked)
			end()
			begun += time.Since(begin)
			busy = append(busy, l.perSecond())
			return l.perSecond()
		}
		first := one(i%2 == 1)
		second := one(i%2 == 0)
		if i%2 == 0 {
			ratios = append(ratios, second/first)
		} else {
			ratios = append(ratios, first/second)
		}
	}
	liking, commenting := float64(likes.Load())/begun.Seconds(), float64(comments.Load())/begun.Seconds()
	server.profile(t, func(length time.Duration) {
		end := load()
		hammer(t, wires, length, asked)
		end()
	})
	for _, end := range ends {
		end()
	}
	if n := refused.Load(); n > 0 {
		t.Errorf("%d writes were refused", n)
	}
	ratio := median(ratios)
	return finding{
		measured: fmt.Sprintf("%.2f (%.0f of %.0f pages/s, beside %.0f likes and %.1f comments a second); "+
			"counts went back %d times",
			ratio, median(busy), median(quiet), liking, commenting, backwards.Load()),
		holds: ratio >= 0.7 && backwards.Load() == 0}
}

// countOf matches a link of the front page with the number of comments or likes of a post.
var countOf = regexp.MustCompile(`<a href="(/posts/[^"]+(?:#Page-comments|/likes))"><svg.*?</svg><span>([\d,]+)<`)

// countsIn returns the counts on the front page by the address of their link.
func countsIn(t testing.TB, page []byte) map[string]int {
	counts := make(map[string]int)
	found := countOf.FindAllSubmatch(page, -1)
	if len(found) == 0 {
		t.Error("the front page shows no counts, or shows them in another way than this test knows")
	}
	for _, found := range found {
		counts[string(found[1])], _ = strconv.Atoi(strings.ReplaceAll(string(found[2]), ",", ""))
	}
	return counts
}

// writer is a signed-in user who sends forms and does not read the pages of the answers.
type writer struct {
	cookie string
	client http.Client
}

// signedUp signs up a number of users.
func signedUp(t *testing.T, address string, n int) []*writer {
	t.Helper()
	writers := make([]*writer, n)
	for i := range writers {
		v := harness.NewVisitor(t, address)
		v.SignUp(fmt.Sprintf("writer%d", i))
		_, cookie, _ := strings.Cut(cookieHeader(v, false), ": ")
		writers[i] = &writer{cookie: cookie, client: http.Client{Timeout: 30 * time.Second,
			Transport:     &http.Transport{MaxIdleConnsPerHost: 8},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
		t.Cleanup(writers[i].client.CloseIdleConnections)
	}
	return writers
}

func (w *writer) submit(address, path, body string) (status int, err error) {
	status, _, err = w.send(address, path, body)
	return status, err
}

// send sends a form and also returns the target of the redirect.
func (w *writer) send(address, path, body string) (status int, location string, err error) {
	req, err := http.NewRequest(http.MethodPost, address+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header = harness.FormHeader()
	req.Header.Set("Cookie", w.cookie)
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Location"), nil
}

const (
	propagationWriters = 4
	propagationWrites  = 60 // writes of each writer
)

// measurePropagation writes at one of two servers on an engine and measures the time until an anonymous visitor of the
// other server sees the write.
func measurePropagation(t *testing.T, p *performance) finding {
	env := p.few.engine(t)
	first, second := serveBeside(t, p.few, env), serveBeside(t, p.few, env)
	writers := signedUp(t, first.Address, propagationWriters)
	posts := p.few.pages().fed
	kinds := []string{"comment", "like", "new post"}
	var mu sync.Mutex
	lags := make(map[string]*load)
	for _, kind := range kinds {
		lags[kind] = new(load)
	}
	all := new(load)
	var group sync.WaitGroup
	for i, w := range writers {
		conn := dial(t, second.Address)
		group.Go(func() {
			for n := range propagationWrites {
				kind, post := kinds[n%len(kinds)], posts[(n*propagationWriters+i)%len(posts)]
				path, body, page, sign := "", "", post.Path(), ""
				switch kind {
				case "comment":
					sign = fmt.Sprintf("Remark-%d-%d", i, n)
					path, body = "/posts/"+post.ID+"/comments", "content="+sign
				case "like":
					path, page = "/posts/"+post.ID+"/like", "/posts/"+post.ID+"/likes"
					sign = fmt.Sprintf(`/@writer%d"`, i)
				case "new post":
					sign = fmt.Sprintf("Headline-%d-%d", i, n)
					path, body, page = "/posts", "title="+sign+"&content=Text", "/"
				}
				asked := plainRequest(page)
				status, err := conn.do(asked)
				if err != nil || status != http.StatusOK || bytes.Contains(conn.body, []byte(sign)) {
					t.Errorf("%s before the write: status %d, %v, or it shows %s already", page, status, err, sign)
					return
				}
				status, _, err = w.send(first.Address, path, body)
				written := time.Now()
				if err != nil || status != http.StatusSeeOther {
					t.Errorf("%s: status %d, %v", path, status, err)
					return
				}
				for {
					if _, err := conn.do(asked); err != nil {
						t.Error(err)
						return
					}
					if bytes.Contains(conn.body, []byte(sign)) {
						break
					}
					if time.Since(written) > 30*time.Second {
						t.Errorf("the other server does not show the %s within 30 seconds", kind)
						return
					}
					<-time.After(3 * time.Millisecond)
				}
				mu.Lock()
				lags[kind].took = append(lags[kind].took, time.Since(written))
				all.took = append(all.took, time.Since(written))
				mu.Unlock()
			}
		})
	}
	group.Wait()
	var details table
	details.row("write", "page", "writes", "median", "99th percentile")
	details.row("---", "---", "---:", "---:", "---:")
	for i, kind := range kinds {
		l := lags[kind]
		details.row(kind, []string{"the post's", "who likes the post", "front"}[i], fmt.Sprint(len(l.took)),
			milliseconds(l.quantile(0.5)), milliseconds(l.quantile(0.99)))
	}
	median, slowest := all.quantile(0.5), all.quantile(0.99)
	return finding{
		measured: fmt.Sprintf("median %s, 99th percentile %s, of %d writes",
			milliseconds(median), milliseconds(slowest), len(all.took)),
		holds: slowest <= 1200*time.Millisecond, details: details.String()}
}

// engine serves a copy of the data with an engine in a process of its own. It returns the environment in which servers
// use the engine.
func (b *sampleBlog) engine(t *testing.T, args ...string) map[string]string {
	t.Helper()
	const key = "dGhlIGtleSBvZiB0aGlzIHRlc3Q="
	folder := b.copy(t)
	s := harness.Spawn(t, map[string]string{"INKFEED_DATA": folder}, new(harness.Logs),
		append([]string{"engine", "--addr", "127.0.0.1:0", "--key", key}, args...)...)
	t.Cleanup(func() { s.Stop() })
	go drain(s.Stdout)
	return map[string]string{"COSMOS_ENDPOINT": s.Address, "COSMOS_KEY": key, "COSMOS_INSECURE_TLS": "true",
		"INKFEED_SESSION_KEYS": strings.Repeat("5a", 32)}
}

// serveBeside runs a server on an engine with the data. Its search index is complete already.
func serveBeside(t *testing.T, b *sampleBlog, env map[string]string) *served {
	t.Helper()
	folder := b.copy(t)
	if err := os.Remove(filepath.Join(folder, "inkfeed.db")); err != nil {
		t.Fatal(err)
	}
	return serveWith(t, harness.With(env, "INKFEED_DATA", folder))
}
