package account_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"inkfeed/web/webtest"
)

// slowSignup is a server that carries out sign-ups at once, and holds the responses until answer is called.
type slowSignup struct {
	http.Handler
	sent atomic.Int32  // forms
	held chan struct{} // one element lets one response go
	// clicked receives an element when the page has clicked a second time.
	clicked chan struct{}
}

func (s *slowSignup) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "clicked" {
		s.clicked <- struct{}{}
	}
	if r.Method != http.MethodPost || r.URL.Path != "/signup" {
		s.Handler.ServeHTTP(w, r)
		return
	}
	ready := httptest.NewRecorder()
	s.Handler.ServeHTTP(ready, r.WithContext(context.WithoutCancel(r.Context())))
	s.sent.Add(1)
	select {
	case <-s.held:
	case <-r.Context().Done():
		return
	}
	for name, values := range ready.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(ready.Code)
	_, _ = w.Write(ready.Body.Bytes())
}

// answer lets the response to the last form go.
func (s *slowSignup) answer() { s.held <- struct{}{} }

// wants waits until the browser has sent this number of forms.
func (s *slowSignup) wants(t *testing.T, forms int32) {
	t.Helper()
	webtest.WaitFor(t, "the form is sent", func() bool { return s.sent.Load() == forms })
}

func TestTheSignUpFormIsSentOnce(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewSite(t)
	w.SignUp("ada")
	const button = `main form .actions button`
	open := func(t *testing.T, username string) (*webtest.Tab, *slowSignup) {
		t.Helper()
		s := &slowSignup{Handler: w.Handler, held: make(chan struct{}), clicked: make(chan struct{}, 1)}
		b := webtest.NewTab(t, ctx, webtest.Listen(t, s))
		b.OpenAndWait("/signup")
		fill(b, username)
		return b, s
	}
	t.Run("by a double click", func(t *testing.T) {
		b, s := open(t, "ben")
		// The page makes the second click itself and tells the server, because the test cannot reach a page that is
		// about to be left.
		b.Eval(`document.querySelector("` + button + `").addEventListener("click", ({ target }) => setTimeout(() => {
			target.click();
			setTimeout(() => fetch("/healthz?clicked"), 100);
		}, 100), { once: true })`)
		b.Click(button)
		<-s.clicked
		s.answer()
		b.WaitUntil(`document.querySelector(".me")?.textContent === "@ben"`)
		s.wants(t, 1)
		b.WantQuietConsole()
	})
	t.Run("and again after going back", func(t *testing.T) {
		b, s := open(t, "ada")
		b.Click(button)
		s.answer()
		b.WaitVisible("#username-error")
		b.Do(chromedp.NavigateBack())
		b.WaitUntil(`document.readyState === "complete" && !document.querySelector("#username-error")`)
		fill(b, "cleo")
		b.Click(button)
		s.answer()
		b.WaitUntil(`document.querySelector(".me")?.textContent === "@cleo"`)
		b.WantQuietConsole("422")
	})
	t.Run("and again when the page is shown again as it was", func(t *testing.T) {
		b, s := open(t, "dora")
		b.Click(button)
		s.wants(t, 1)
		webtest.Call(b, page.StopLoading, cdp.Empty{})
		b.Eval(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
		fill(b, "dana")
		b.Click(button)
		s.wants(t, 2)
		s.answer()
		b.WaitUntil(`document.querySelector(".me")?.textContent === "@dana"`)
	})
	t.Run("and again some seconds after the user has stopped it", func(t *testing.T) {
		b, s := open(t, "eve")
		b.Eval(`(() => { window.setTimeout = (run) => { window.pass = run; }; })()`)
		b.Click(button)
		s.wants(t, 1)
		webtest.Call(b, page.StopLoading, cdp.Empty{})
		b.Eval(`pass()`)
		fill(b, "emma")
		b.Click(button)
		s.wants(t, 2)
		s.answer()
		b.WaitUntil(`document.querySelector(".me")?.textContent === "@emma"`)
	})
	t.Run("and again after another script has prevented it", func(t *testing.T) {
		b, s := open(t, "fred")
		b.Eval(`(() => {
			const prevent = (event) => event.preventDefault();
			document.querySelector("main form").addEventListener("submit", prevent, { once: true });
		})()`)
		b.Click(button)
		b.Click(button)
		s.answer()
		b.WaitUntil(`document.querySelector(".me")?.textContent === "@fred"`)
		s.wants(t, 1)
	})
}

// fill fills in the sign-up form.
func fill(b *webtest.Tab, username string) {
	b.T.Helper()
	b.SetValue("#username", username)
	b.SetValue("#password", webtest.Password)
}
