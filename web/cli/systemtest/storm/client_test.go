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

// client is somebody with a cookie jar who does one thing after another, at one
// process or the other. What it does follows from its random numbers and the answers.
type client struct {
	storm    *storm
	number   int
	random   *rand.Rand
	http     http.Client
	account  *account
	accounts []*account // this one and those it has deleted
	least    leastSeen
	counted  map[countedAt]counted
	made     int // counts what must have a name of its own
}

func newClient(s *storm, number int) *client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // it has no options to be wrong
	}
	return &client{storm: s, number: number, least: make(leastSeen), counted: make(map[countedAt]counted), random: rand.New(rand.NewPCG(s.seed, uint64(number))),
		http: http.Client{Jar: jar, Transport: s.transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// answer is what came back, if something did.
type answer struct {
	status   int // 0: no answer came
	location string
	page     *goquery.Document
	from     *harness.Process // who answered
	cache    string           // what its cache says of it
}

// outcome is what an answer to a write says of it.
type outcome int

const (
	unknownOutcome outcome = iota
	done
	refused // for certain nothing was done
)

// How long a write whose outcome is unknown may still arrive: a process gives up on
// a request after 15 seconds; one that answered has given up already.
const (
	landingUnanswered = 20 * time.Second
	landingAnswered   = 2 * time.Second
)

// send asks one of the processes. Any answer that is neither usual nor among those
// that the caller expects fails the test, and so does each 500.
func (c *client) send(what, method, path string, form url.Values, expected ...int) answer {
	patience := 30 * time.Second
	if c.random.IntN(15) == 0 { // somebody who goes away
		patience = time.Duration(c.random.IntN(200)) * time.Millisecond
	}
	first := c.random.IntN(2)
	for try := range 2 {
		process := (first + try) % 2
		a, id, err := c.sendTo(process, patience, method, path, form)
		c.storm.history.add("client %d, process %d: %s: %s %s%s: %d %s (request %s) %v",
			c.number, process, what, method, path, brief(form), a.status, a.location, id, err)
		if errors.Is(err, syscall.ECONNREFUSED) {
			continue // the process is down: the other one is asked
		}
		usual := []int{0, http.StatusOK, http.StatusSeeOther, http.StatusMovedPermanently, http.StatusServiceUnavailable}
		if !slices.Contains(append(usual, expected...), a.status) {
			c.storm.fail([]string{path}, "%s: %s %s: status %d, request %s\n%s",
				what, method, path, a.status, id, c.storm.logged(id))
		}
		return a
	}
	return answer{}
}

func (c *client) sendTo(process int, patience time.Duration, method, path string, form url.Values) (answer, string, error) {
	c.storm.requests.Add(1)
	ctx, cancel := context.WithTimeout(c.storm.ctx, patience)
	defer cancel()
	from := c.storm.processes[process].now.Load()
	req, err := http.NewRequestWithContext(ctx, method, from.Address+path, strings.NewReader(form.Encode()))
	if err != nil {
		return answer{}, "", err
	}
	if method == http.MethodPost {
		req.Header = harness.FormHeader()
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, "", err
	}
	defer resp.Body.Close()
	id := resp.Header.Get("X-Request-Id")
	page, err := goquery.NewDocumentFromReader(resp.Body)
	if err != nil { // the process died while it answered
		return answer{}, id, err
	}
	a := answer{resp.StatusCode, resp.Header.Get("Location"), page, from, resp.Header.Get("Cache-Status")}
	if a.status == http.StatusSeeOther && strings.HasPrefix(a.location, "/login") {
		a.status = http.StatusUnauthorized
	}
	if a.status == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "" {
		c.storm.fail([]string{path}, "%s %s: 503 without Retry-After", method, path)
	}
	return a, id, nil
}

// brief is a form for people, its texts cut after what names them.
func brief(form url.Values) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(form)) {
		value := form.Get(name)
		fmt.Fprintf(&b, " %s=%q", name, value[:min(len(value), 30)])
	}
	return b.String()
}

// get reads a page. The answer may also be one of those expected.
func (c *client) get(what, path string, expected ...int) answer {
	return c.send(what, http.MethodGet, path, nil, expected...)
}

// write sends a form as the account and says what its answer means. The time is how
// long a write of unknown outcome may take to arrive.
func (c *client) write(what, path string, form url.Values, expected ...int) (a answer, o outcome, within time.Duration) {
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

// insist is write for a form with an attempt of its own: while the outcome is not
// known it may send the same again, which must do it once only.
func (c *client) insist(what, path string, form url.Values, expected ...int) (a answer, o outcome, landing time.Duration) {
	for tries := 1 + c.random.IntN(3); tries > 0; tries-- {
		var within time.Duration
		a, o, within = c.write(what, path, form, expected...)
		if o != unknownOutcome {
			// An earlier attempt that still arrives changes nothing, unless what it
			// made is deleted before.
			return a, o, landing
		}
		landing = max(landing, within)
	}
	return a, o, landing
}

// token names something as nothing else is named.
func (c *client) token(kind string) string {
	c.made++
	return fmt.Sprintf("%s%dx%d", kind, c.number, c.made)
}

// run does one thing after another until the storm ends.
func (c *client) run() {
	total := 0
	for _, o := range operations {
		total += o.weight
	}
	for c.storm.blowing() {
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
