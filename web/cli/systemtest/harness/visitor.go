package harness

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// visitor is somebody with a cookie jar and no JavaScript.
type Visitor struct {
	T    testing.TB
	Base string
	HTTP http.Client
}

func NewVisitor(t testing.TB, base string) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Visitor{T: t, Base: base, HTTP: http.Client{Jar: jar, Timeout: time.Minute}}
}

// page is an answer after redirects.
type Page struct {
	*goquery.Document
	Status   int
	URL      *url.URL
	location string // where it redirects, if that was not followed
}

func (v *Visitor) Ask(method, path, body string, header http.Header) (Page, error) {
	req, err := http.NewRequestWithContext(v.T.Context(), method, v.Base+path, strings.NewReader(body))
	if err != nil {
		return Page{}, err
	}
	if header != nil {
		req.Header = header
	}
	resp, err := v.HTTP.Do(req)
	if err != nil {
		return Page{}, err
	}
	defer resp.Body.Close()
	doc, err := goquery.NewDocumentFromReader(resp.Body)
	return Page{doc, resp.StatusCode, resp.Request.URL, resp.Header.Get("Location")}, err
}

func (v *Visitor) Get(path string) Page {
	v.T.Helper()
	p, err := v.Ask(http.MethodGet, path, "", nil)
	if err != nil {
		v.T.Fatal(err)
	}
	return p
}

// post sends a form as a browser would, from this site.
func (v *Visitor) Post(path string, fields ...string) Page {
	v.T.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	p, err := v.Ask(http.MethodPost, path, form.Encode(), FormHeader())
	if err != nil {
		v.T.Fatal(err)
	}
	return p
}

// try sends a form and returns where it redirects, or "" when there was no
// answer or another one: the server may be gone.
func (v *Visitor) TryForm(path string, fields url.Values) string {
	there := *v
	there.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p, err := there.Ask(http.MethodPost, path, fields.Encode(), FormHeader())
	if err != nil || p.Status != http.StatusSeeOther {
		return ""
	}
	return p.location
}

func (v *Visitor) SignUp(username string) {
	v.T.Helper()
	if p := v.Post("/signup", "username", username, "password", "correct horse"); p.Status != http.StatusOK {
		v.T.Fatalf("sign-up of %s: status %d: %s", username, p.Status, p.Text())
	}
}

// tries logs in, again when too many others do, as the page then asks one to.
func (v *Visitor) TryLogIn(username, password string) Page {
	v.T.Helper()
	for {
		p := v.Post("/login", "username", username, "password", password)
		if p.Status != http.StatusServiceUnavailable || v.T.Context().Err() != nil {
			return p
		}
	}
}

// logIn logs in who has signed up before, as signUp does.
func (v *Visitor) LogIn(username string) {
	v.T.Helper()
	if p := v.TryLogIn(username, "correct horse"); p.Status != http.StatusOK || p.URL.Path == "/login" {
		v.T.Fatalf("log in as %s: status %d", username, p.Status)
	}
}

// publish writes a post and returns its page.
func (v *Visitor) Publish(title, content string) Page {
	v.T.Helper()
	p := v.Post("/posts", "title", title, "content", content)
	if p.Status != http.StatusOK || !strings.HasPrefix(p.URL.Path, "/posts/") {
		v.T.Fatalf("publish: status %d at %s: %s", p.Status, p.URL, p.Text())
	}
	return p
}

// direct asks without following where it is led.
func (v *Visitor) Direct(path string) *http.Response {
	v.T.Helper()
	client := v.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Get(v.Base + path)
	if err != nil {
		v.T.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

// in returns the same visitor for another test.
func (v *Visitor) In(t testing.TB) *Visitor {
	there := *v
	there.T = t
	return &there
}

// fromThisSite is what a browser says of a form that it sends from this site.
func FormHeader() http.Header {
	return http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}
}

// eventually waits for the workers: what it checks must hold within a time that
// is long for them.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
		time.Sleep(50 * time.Millisecond) // between polls of a real server
	}
}

func Text(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }
