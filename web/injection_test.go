package web_test

import (
	"archive/zip"
	"bytes"
	"mime"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// forgeries are names that would inject another header, close a quotation or leave a folder.
var forgeries = []string{
	"x\r\nX-Forged: yes", "x\nBcc: eve@example.org\n\nbody", `x"; filename="y.exe`, `x";y=z`, "x\x00.exe",
	"../../etc/passwd", `..\..\boot.ini`, "C:evil", "a/b", "x; filename*=utf-8''y.exe", "x%0d%0aX-Forged:%20yes",
	"\u202egpj.exe", "x\u2028y", "x\u0085y", "猫", "Zoë", "مرحبا", `\"`, "'", "", ".", "~", "\xff",
	strings.Repeat("x", 300),
}

func TestTheFileNameOfAnExportIsSafe(t *testing.T) {
	for _, name := range forgeries {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		s.Data.StopProjection() // it would reserve the name
		s.Data.ChangeUser(ada.User.ID, func(item map[string]any) { item["username"] = name })
		a := ada.Get("/settings/export").Want(http.StatusOK)
		dispositions := a.Header.Values("Content-Disposition")
		if len(dispositions) != 1 || a.Header.Get("X-Forged") != "" ||
			strings.ContainsFunc(dispositions[0], func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q: the headers are %q", name, a.Header)
			continue
		}
		kind, parameters, err := mime.ParseMediaType(dispositions[0])
		file := parameters["filename"]
		if err != nil || kind != "attachment" || len(parameters) != 1 || !strings.HasPrefix(file, "inkfeed-") ||
			!strings.HasSuffix(file, ".zip") ||
			strings.ContainsAny(file, `/\:*?"<>|;%'`) || strings.Contains(file, "..") ||
			strings.ContainsFunc(file, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q: the file name is %q, from %q, %v", name, file, dispositions[0], err)
		}
		if domain.CheckUsername(name) == nil && !strings.HasPrefix(file, "inkfeed-"+name+"-2") {
			t.Errorf("%q: the file name is %q", name, file)
		}
		packed, err := zip.NewReader(bytes.NewReader([]byte(a.Body)), int64(len(a.Body)))
		if err != nil || len(packed.File) == 0 {
			t.Errorf("%q: read the export: %v", name, err)
			continue
		}
		for _, f := range packed.File {
			if strings.HasPrefix(f.Name, "/") || strings.Contains(f.Name, "..") ||
				strings.ContainsAny(f.Name, "\\:\r\n") {
				t.Errorf("%q: the export has a file %q", name, f.Name)
			}
		}
	}
}

// No form field becomes a part of a mail's header.
func TestFormFieldsNeverReachMailHeaders(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	for _, email := range []string{
		"a@example.org\r\nBcc: eve@example.org", "a@example.org\nSubject: x", "a@example.org, eve@example.org",
		"a@example.org;eve@example.org", "<a@example.org>", "Ada <a@example.org>", "a@example.org\x00",
		"a b@example.org", `"a\r\nb"@example.org`, "a@example.org%0aBcc:eve@example.org", "a\u2028@example.org",
	} {
		a := ada.Post("/settings/email", "email", email)
		if a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%q: status %d", email, a.StatusCode)
		}
		s.Anonymous().Post("/reset", "account", email).Want(http.StatusOK)
	}
	if n := len(s.Data.Mails()); n != 0 {
		t.Errorf("%d mails were sent: %+v", n, s.Data.Mails())
	}
	ada.SetVerifiedEmail("ada@example.org")
	s.Data.StopProjection() // it would reserve the names
	for _, name := range forgeries {
		s.Data.ChangeUser(ada.User.ID, func(item map[string]any) { item["username"], item["displayName"] = name, name })
		s.Data.ForgetMails()
		ada.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).
			Want(http.StatusSeeOther)
		ada.Post("/settings/password", "current", webtest.NewPassword, "password", webtest.Password).
			Want(http.StatusSeeOther)
		s.Data.Must(s.Data.ForwardMails(t.Context()))
		if len(s.Data.Mails()) != 2 {
			t.Errorf("%q: %d mails were sent, want 2", name, len(s.Data.Mails()))
		}
		for _, m := range s.Data.Mails() {
			if m.To != "ada@example.org" || m.Subject != "Your account was changed" {
				t.Errorf("%q: the mail is to %q with the subject %q", name, m.To, m.Subject)
			}
		}
	}
}

// Every response has a request id. Responses to failed and refused requests repeat neither the cause nor secrets of the
// request.
func TestFailuresRevealNoSecret(t *testing.T) {
	const cause = "dial tcp 10.0.0.7"
	failed := 0
	for route := range decisions {
		if route == "GET /preview/:secret" { // the secret in this address grants access
			continue
		}
		first := newScene(t, "owner")
		first.act(first.actor, route)
		for _, status := range []int{webtest.StatusInternal, webtest.StatusUnavailable, 0} {
			s := newScene(t, "owner")
			v := s.actor
			if status == 0 {
				v = crossSite(v) // the request is refused
			} else {
				for method := range first.Data.Requests {
					if method != "Sessions.Get" && method != "Users.ByID" { // the viewer must be known
						s.Data.Failures[method] = &webtest.Failure{Status: status}
					}
				}
			}
			a := s.act(v, route)
			id := a.Header.Get("X-Request-Id")
			if len(id) != 16 || len(a.Header.Values("X-Request-Id")) != 1 {
				t.Errorf("%s: the request id is %q", route, id)
			}
			if a.StatusCode < http.StatusBadRequest {
				continue
			}
			failed++
			isPage := strings.HasPrefix(a.Header.Get("Content-Type"), "text/html")
			if a.StatusCode == http.StatusInternalServerError && isPage && !strings.Contains(a.Body, id) {
				t.Errorf("%s: the page lacks the request id %s", route, id)
			}
			for _, secret := range []string{
				cause, webtest.Password, webtest.NewPassword, s.params["secret"], s.params["token"], s.params["link"],
				s.params["code"], v.Cookies["inkfeed"],
			} {
				if secret != "" &&
					(strings.Contains(a.Body, secret) || strings.Contains(a.Header.Get("Location"), secret)) {
					t.Errorf("%s: %d: the response has the secret %q: %.300s", route, a.StatusCode, secret,
						webtest.CollapseSpace(a.Body))
				}
			}
		}
	}
	if failed < 150 {
		t.Errorf("only %d responses were failures", failed)
	}
}
