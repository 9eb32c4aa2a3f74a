package harness

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// Visitor is a client with a cookie jar and without JavaScript.
type Visitor struct {
	T    testing.TB
	Base string
	HTTP http.Client
}

// NewVisitor returns a visitor of the site at an address.
func NewVisitor(t testing.TB, base string) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Visitor{T: t, Base: base, HTTP: http.Client{Jar: jar, Timeout: time.Minute}}
}

// Page is a response after redirects.
type Page struct {
	*goquery.Document
	Status   int
	URL      *url.URL
	location string // the target of a redirect that was not followed
}

// Ask sends a request and returns the page.
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

// Get requests a path.
func (v *Visitor) Get(path string) Page {
	v.T.Helper()
	p, err := v.Ask(http.MethodGet, path, "", nil)
	if err != nil {
		v.T.Fatal(err)
	}
	return p
}

// Post sends a form as a browser would from a page of this site. Fields are names and values in turns.
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

// TryForm sends a form and returns the target of the redirect. It returns "" if there is no response or another one,
// for example because the server was killed.
func (v *Visitor) TryForm(path string, fields url.Values) string {
	there := *v
	there.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p, err := there.Ask(http.MethodPost, path, fields.Encode(), FormHeader())
	if err != nil || p.Status != http.StatusSeeOther {
		return ""
	}
	return p.location
}

// SignUp signs up a user with the password of LogIn.
func (v *Visitor) SignUp(username string) {
	v.T.Helper()
	p := v.postPassword("/signup", username, "correct horse")
	if p.Status != http.StatusOK {
		v.T.Fatalf("sign-up of %s: status %d: %s", username, p.Status, p.Text())
	}
}

// TryLogIn logs in.
func (v *Visitor) TryLogIn(username, password string) Page {
	v.T.Helper()
	return v.postPassword("/login", username, password)
}

// postPassword sends a form with a password. It tries again while the server answers 503 because it hashes as many
// passwords as it can, as on a busy machine.
func (v *Visitor) postPassword(path, username, password string) Page {
	v.T.Helper()
	for {
		p := v.Post(path, "username", username, "password", password)
		if p.Status != http.StatusServiceUnavailable || v.T.Context().Err() != nil {
			return p
		}
	}
}

// LogIn logs in as a user whom SignUp has signed up.
func (v *Visitor) LogIn(username string) {
	v.T.Helper()
	if p := v.TryLogIn(username, "correct horse"); p.Status != http.StatusOK || p.URL.Path == "/login" {
		v.T.Fatalf("log in as %s: status %d", username, p.Status)
	}
}

// Publish publishes a post and returns its page.
func (v *Visitor) Publish(title, content string) Page {
	v.T.Helper()
	p := v.Post("/posts", "title", title, "content", content)
	if p.Status != http.StatusOK || !strings.HasPrefix(p.URL.Path, "/posts/") {
		v.T.Fatalf("publish: status %d at %s: %s", p.Status, p.URL, p.Text())
	}
	return p
}

// Upload sends a file named blog.zip with a form that has no other field.
func (v *Visitor) Upload(path string, content []byte) Page {
	v.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "blog.zip")
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		v.T.Fatal(err)
	}
	header := FormHeader()
	header.Set("Content-Type", form.FormDataContentType())
	p, err := v.Ask(http.MethodPost, path, body.String(), header)
	if err != nil {
		v.T.Fatal(err)
	}
	return p
}

// Direct requests a path without following redirects.
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

// In returns the same visitor for another test.
func (v *Visitor) In(t testing.TB) *Visitor {
	there := *v
	there.T = t
	return &there
}

// FormHeader returns the headers that a browser sends with a form of this site.
func FormHeader() http.Header {
	return http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}
}

// Eventually polls a condition, which the workers make true, and fails the test after a minute.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
		time.Sleep(50 * time.Millisecond) // between polls of a real server
	}
}

// Text returns the text of elements, with single spaces between words.
func Text(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }
