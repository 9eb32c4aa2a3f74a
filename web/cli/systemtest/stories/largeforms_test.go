package stories

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/web/cli/systemtest/harness"
)

// sendAll sends the whole request over a connection of its own before it reads the response.
func sendAll(v *harness.Visitor, path string, header http.Header, body []byte, chunked bool) (*http.Response, []byte) {
	v.T.Helper()
	var sent io.Reader = bytes.NewReader(body)
	if chunked {
		sent = io.MultiReader(sent) // hides the length from net/http
	}
	r, err := http.NewRequest(http.MethodPost, v.Base+path, sent)
	if err != nil {
		v.T.Fatal(err)
	}
	r.Header = header
	for _, c := range v.HTTP.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	conn, err := net.Dial("tcp", r.URL.Host)
	if err != nil {
		v.T.Fatal(err)
	}
	defer conn.Close()
	if err := r.Write(conn); err != nil {
		v.T.Fatalf("%s: the server closed the connection while the request was being sent: %v", path, err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		v.T.Fatalf("%s: no response: %v", path, err)
	}
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		v.T.Fatalf("%s: the response is incomplete: %v", path, err)
	}
	return resp, content
}

// longText returns words of the given number of bytes in total.
func longText(bytes int) string { return strings.Repeat("word ", bytes/5) }

func TestOversizedFormsAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	base := harness.ServeBlog(t)
	ada, bob := harness.NewVisitor(t, base), harness.NewVisitor(t, base)
	ada.SignUp("ada")
	bob.SignUp("bob")
	post := ada.Publish("A post", "A text.").URL.Path
	id := regexp.MustCompile(`/posts/([^/]+)`).FindStringSubmatch(post)[1]
	commented := ada.Post("/posts/"+id+"/comments", "content", "A comment.")
	edit := regexp.MustCompile(`/posts/[^/]+/comments/[^/"]+/edit`).FindString(valueOf(commented.Html()))
	if edit == "" {
		t.Fatal("the page has no link to edit the comment")
	}

	// shown is above the route's limit; notShown is also above the size up to which a form is shown again.
	const shown, notShown = 3 << 20, 5 << 20
	forms := map[string]struct {
		user  *harness.Visitor
		path  string
		field string
	}{
		"a new post":         {ada, "/posts", "content"},
		"an edited post":     {ada, "/posts/" + id, "content"},
		"a comment":          {ada, "/posts/" + id + "/comments", "content"},
		"an edited comment":  {ada, edit, "content"},
		"a report":           {bob, "/posts/" + id + "/report", "text"},
		"a profile":          {ada, "/settings/profile", "bio"},
		"a username":         {ada, "/settings/username", ""},
		"settings of a site": {ada, "/admin/settings", ""},
		"a log-in":           {harness.NewVisitor(t, base), "/login", ""},
	}
	for name, form := range forms {
		for _, size := range []int{shown, notShown} {
			for _, chunked := range []bool{false, true} {
				t.Run(fmt.Sprintf("refuses %s of %d MB, chunked %t", name, size>>20, chunked), func(t *testing.T) {
					v := form.user.In(t)
					text := longText(size)
					field := form.field
					if field == "" {
						field = "anything"
					}
					body := "title=A+title&do=publish&" + field + "=" + url.QueryEscape(text)
					resp, content := sendAll(v, form.path, harness.FormHeader(), []byte(body), chunked)
					page, err := goquery.NewDocumentFromReader(bytes.NewReader(content))
					if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
						t.Fatalf("status %d, error %v, want status 413: %.200s", resp.StatusCode, err, content)
					}
					got := harness.Text(page.Find("main"))
					if !strings.Contains(got, "larger than this site accepts") &&
						!strings.Contains(got, "too long") {
						t.Errorf("the page does not give the reason: %.200s", got)
					}
					if form.field != "" && size == shown {
						got := page.Find(`textarea[name="` + form.field + `"]`).Text()
						if strings.TrimSpace(got) != strings.TrimSpace(text) {
							t.Errorf("the form shows %d bytes of a text of %d bytes", len(got), len(text))
						}
					}
				})
			}
		}
	}

	t.Run("saves nothing of refused forms", func(t *testing.T) {
		p := ada.Get(post)
		if got := harness.Text(p.Find("article")); p.Status != http.StatusOK || !strings.Contains(got, "A text.") ||
			p.Find("#Page-comments li[id^=comment-]").Length() != 1 {
			t.Errorf("the post after all refused forms: status %d: %s", p.Status, got)
		}
	})
	t.Run("tells a script why a draft is not saved", func(t *testing.T) {
		for _, chunked := range []bool{false, true} {
			for _, size := range []int{shown, notShown} {
				resp, content := sendAll(ada.In(t), "/drafts/"+id, harness.FormHeader(),
					[]byte("content="+url.QueryEscape(longText(size))), chunked)
				wantRefused(t, resp, content, "larger than this site accepts")
			}
		}
	})
	t.Run("tells htmx the reason in a fragment", func(t *testing.T) {
		header := harness.FormHeader()
		header.Set("HX-Request", "true")
		resp, content := sendAll(ada.In(t), "/posts/"+id+"/comments", header,
			[]byte("content="+url.QueryEscape(longText(shown))), false)
		text := string(content)
		if resp.StatusCode != http.StatusRequestEntityTooLarge || strings.Contains(text, "<html") ||
			!strings.Contains(text, `role="alert"`) || !strings.Contains(text, longText(1000)) {
			t.Errorf("status %d, want 413 and a fragment with the text: %.300s", resp.StatusCode, text)
		}
	})
	for _, path := range []string{"/images", "/settings/avatar"} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("shows the form of %s again, chunked %t", path, chunked), func(t *testing.T) {
				var body bytes.Buffer
				form := multipart.NewWriter(&body)
				_ = form.WriteField("alt", "A cat")
				file := valueOf(form.CreateFormFile("file", "cat.jpg"))
				_, _ = file.Write(make([]byte, 48<<20))
				_ = form.Close()
				header := harness.FormHeader()
				header.Set("Content-Type", form.FormDataContentType())
				resp, content := sendAll(ada.In(t), path, header, body.Bytes(), chunked)
				page, _ := goquery.NewDocumentFromReader(bytes.NewReader(content))
				if resp.StatusCode != http.StatusRequestEntityTooLarge ||
					page.Find(`input[type="file"]`).Length() == 0 ||
					!strings.Contains(harness.Text(page.Find("main")), "larger than 10 MB") {
					t.Errorf("status %d, want 413 and a form: %.300s", resp.StatusCode, harness.Text(page.Find("main")))
				}
				if path != "/images" {
					return
				}
				header.Set("Accept", "application/json")
				resp, content = sendAll(ada.In(t), path, header, body.Bytes(), chunked)
				wantRefused(t, resp, content, "10 MB")
			})
		}
	}
}

// wantRefused checks that a response to a script has status 413 and gives the reason in JSON.
func wantRefused(t *testing.T, resp *http.Response, content []byte, reason string) {
	t.Helper()
	var refusal struct{ Error string }
	if err := json.Unmarshal(content, &refusal); err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge ||
		!strings.Contains(refusal.Error, reason) {
		t.Errorf("status %d, error %v, want status 413 and %q: %.200s", resp.StatusCode, err, reason, content)
	}
}

// valueOf returns the value of a call that must not fail.
func valueOf[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestEndlessRequestBodyIsCutOff sends a body until the server stops reading it.
func TestEndlessRequestBodyIsCutOff(t *testing.T) {
	t.Parallel()
	base := harness.ServeBlog(t)
	conn := valueOf(net.Dial("tcp", strings.TrimPrefix(base, "http://")))
	defer conn.Close()
	_, _ = io.WriteString(conn, "POST /login HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\n\r\n")
	block := []byte(fmt.Sprintf("%x\r\n%s\r\n", 1<<20, make([]byte, 1<<20)))
	const most = 128 // MB: the limit of the body, the bytes that are drained, and the buffers of the connection
	for sent := range most {
		if _, err := conn.Write(block); err != nil {
			t.Logf("cut off after %d MB", sent)
			return
		}
	}
	t.Errorf("the server has read %d MB without closing the connection", most)
}
