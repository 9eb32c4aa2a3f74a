package storm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/web/cli/systemtest/harness"
)

// client is a person with a cookie jar who performs one operation after another, each at a random process. Its random
// numbers and the answers determine the operations.
type client struct {
	storm     *storm
	number    int
	random    *rand.Rand
	http      http.Client
	account   *account
	accounts  []*account  // the current account and the earlier ones
	sitePages []*sitePage // static pages that the client lets the administrator change
	minimum   minimumTexts
	counts    map[countKey]readCount
	counter   int               // numbers everything that needs a unique name
	files     map[string][]byte // files by the field of the forms that the client sends with them
}

func newClient(s *storm, number int) *client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // fails only for wrong options, and there are none
	}
	return &client{storm: s, number: number, minimum: make(minimumTexts), counts: make(map[countKey]readCount),
		random: rand.New(rand.NewPCG(s.seed, uint64(number))),
		http: http.Client{Jar: jar, Transport: s.transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// answer is a response, if there was one.
type answer struct {
	status   int // 0 without a response
	location string
	page     *goquery.Document
	from     *harness.Process // the server that answered
	cache    string           // header Cache-Status
}

// outcome is what a client knows about a write.
type outcome int

const (
	unknownOutcome outcome = iota
	done
	refused // the write certainly did not happen
)

// Times within which a write of unknown outcome may still take effect. A process gives up on a request after
// 15 seconds. A process that answered has given up already.
const (
	landingUnanswered = 20 * time.Second
	landingAnswered   = 2 * time.Second
)

// send sends a request to one of the processes. A status that is neither usual nor expected by the caller fails the
// test.
func (c *client) send(what, method, path string, form url.Values, expected ...int) answer {
	timeout := 30 * time.Second
	if c.random.IntN(15) == 0 { // the person closes the page early
		timeout = time.Duration(c.random.IntN(200)) * time.Millisecond
	}
	first := c.random.IntN(2)
	for try := range 2 {
		process := (first + try) % 2
		a, id, err := c.sendTo(process, timeout, method, path, form)
		c.storm.history.add("client %d, process %d: %s: %s %s%s: %d %s (request %s) %v",
			c.number, process, what, method, path, brief(form), a.status, a.location, id, err)
		if errors.Is(err, syscall.ECONNREFUSED) {
			continue // the process is down, so the client tries the other one
		}
		usual := []int{0, http.StatusOK, http.StatusSeeOther, http.StatusMovedPermanently,
			http.StatusServiceUnavailable}
		if !slices.Contains(append(usual, expected...), a.status) {
			c.storm.fail([]string{path}, "%s: %s %s: status %d, request %s\n%s",
				what, method, path, a.status, id, c.storm.logged(id))
		}
		return a
	}
	return answer{}
}

// sendTo sends a request to one process. It also returns the ID of the request.
func (c *client) sendTo(
	process int, timeout time.Duration, method, path string, form url.Values,
) (answer, string, error) {
	c.storm.requests.Add(1)
	ctx, cancel := context.WithTimeout(c.storm.ctx, timeout)
	defer cancel()
	from := c.storm.processes[process].now.Load()
	body, header := form.Encode(), make(http.Header)
	if method == http.MethodPost {
		header = harness.FormHeader()
		if len(c.files) > 0 {
			var contentType string
			body, contentType = withFiles(form, c.files)
			header.Set("Content-Type", contentType)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, from.Address+path, strings.NewReader(body))
	if err != nil {
		return answer{}, "", err
	}
	req.Header = header
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, "", err
	}
	defer resp.Body.Close()
	id := resp.Header.Get("X-Request-Id")
	page, err := goquery.NewDocumentFromReader(resp.Body)
	if err != nil { // the process was killed while it answered
		return answer{}, id, err
	}
	a := answer{resp.StatusCode, resp.Header.Get("Location"), page, from, resp.Header.Get("Cache-Status")}
	if a.status == http.StatusSeeOther && strings.HasPrefix(a.location, "/login") {
		a.status = http.StatusUnauthorized
	}
	if a.status == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "" {
		c.storm.fail([]string{path}, "%s %s: status 503 without Retry-After", method, path)
	}
	return a, id, nil
}

// brief returns a short text for a form, with the beginning of each value.
func brief(form url.Values) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(form)) {
		value := form.Get(name)
		fmt.Fprintf(&b, " %s=%q", name, value[:min(len(value), 30)])
	}
	return b.String()
}

// get reads a page. The expected statuses are allowed besides the usual ones.
func (c *client) get(what, path string, expected ...int) answer {
	return c.send(what, http.MethodGet, path, nil, expected...)
}

// write sends a form as the account and returns the outcome. Within the returned time a write of unknown outcome may
// still take effect.
func (c *client) write(
	what, path string, form url.Values, expected ...int,
) (a answer, o outcome, within time.Duration) {
	if c.account != nil && c.account.deleted.may(true) {
		expected = append(expected, http.StatusUnauthorized)
	}
	a = c.send(what, http.MethodPost, path, form, expected...)
	switch a.status {
	case http.StatusSeeOther:
		return a, done, 0
	case http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity:
		return a, refused, 0
	case 0:
		return a, unknownOutcome, landingUnanswered
	}
	return a, unknownOutcome, landingAnswered
}

// writeWithRetries is write for a form whose repetition must have no further effect. While the outcome is unknown, it
// may send the same form again.
func (c *client) writeWithRetries(
	what, path string, form url.Values, expected ...int,
) (a answer, o outcome, landing time.Duration) {
	for tries := 1 + c.random.IntN(3); tries > 0; tries-- {
		var within time.Duration
		a, o, within = c.write(what, path, form, expected...)
		if o != unknownOutcome {
			// An earlier attempt that still arrives changes nothing, unless what it created is deleted before.
			return a, o, landing
		}
		landing = max(landing, within)
	}
	return a, o, landing
}

// token returns a unique name.
func (c *client) token(kind string) string {
	c.counter++
	return fmt.Sprintf("%s%dx%d", kind, c.number, c.counter)
}

// run performs random operations until the storm ends.
func (c *client) run() {
	total := 0
	for _, o := range operations {
		total += o.weight
	}
	for c.storm.running() {
		if c.account == nil {
			c.signUp()
			continue
		}
		n := c.random.IntN(total)
		for _, o := range operations {
			if n -= o.weight; n < 0 {
				o.do(c)
				break
			}
		}
	}
}
