package explorer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"inkfeed/cosmos/embedded"
	"inkfeed/static"
	view "inkfeed/views/explorer"
)

// Options are the settings of New.
type Options struct {
	Engine *embedded.Engine
	Keys   []string // account keys in base64 that the log-in form accepts; empty ones are left out
	Write  bool     // offers forms that create, replace and delete items
	Logger *slog.Logger
}

// Root is the path that the pages are below.
const Root = view.Root

// maxForm is the maximum size of a form in bytes. It is larger than the largest item, 2 MB, in form encoding.
const maxForm = 8 << 20

type explorer struct {
	operator embedded.Operator
	keys     [][sha256.Size]byte // hashes of the account keys
	write    bool
	log      *slog.Logger
	sessions sessions
	now      func() time.Time
}

// New returns the handler of the explorer. Its pages are below Root. It answers requests for loopback hosts only.
func New(o Options) http.Handler {
	e := &explorer{operator: embedded.Operator{Endpoint: o.Engine.Endpoint(), Key: o.Engine.Key(), Client: o.Engine},
		write: o.Write, log: o.Logger, now: time.Now,
		sessions: sessions{ends: make(map[[sha256.Size]byte]time.Time)}}
	for _, key := range o.Keys {
		if key != "" {
			e.keys = append(e.keys, sha256.Sum256([]byte(key)))
		}
	}
	return confine(http.NewCrossOriginProtection().Handler(e.routes()))
}

func (e *explorer) routes() *http.ServeMux {
	const container = view.Root + "dbs/{database}/colls/{container}"
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler(view.Root, http.StatusSeeOther))
	mux.HandleFunc("GET "+static.Prefix+"{file}", func(w http.ResponseWriter, r *http.Request) {
		if !static.ServeHashed(w, r, r.PathValue("file")) {
			http.NotFound(w, r)
		}
	})
	mux.HandleFunc("GET "+view.LogInPath, e.answer(e.showLogIn))
	mux.HandleFunc("POST "+view.LogInPath, e.answer(e.logIn))
	mux.HandleFunc("POST "+view.LogOutPath, e.answer(e.logOut))
	pages := map[string]func(*visit) error{
		"GET " + view.Root + "{$}":      (*visit).showDatabases,
		"GET " + container:              (*visit).showContainer,
		"GET " + container + "/docs":    (*visit).showItems,
		"GET " + container + "/item":    (*visit).showItem,
		"GET " + container + "/query":   (*visit).showQuery,
		"POST " + container + "/query":  (*visit).runQuery,
		"GET " + container + "/changes": (*visit).showChanges,
	}
	if e.write {
		pages["GET "+container+"/new"] = (*visit).showNew
		pages["POST "+container+"/new"] = (*visit).create
		pages["GET "+container+"/edit"] = (*visit).showEdit
		pages["POST "+container+"/edit"] = (*visit).replace
		pages["GET "+container+"/delete"] = (*visit).showDelete
		pages["POST "+container+"/delete"] = (*visit).delete
	}
	for pattern, page := range pages {
		mux.HandleFunc(pattern, e.answer(func(w http.ResponseWriter, r *http.Request) error {
			return e.visit(w, r, page)
		}))
	}
	mux.HandleFunc(view.Root, e.answer(func(w http.ResponseWriter, r *http.Request) error {
		return e.visit(w, r, func(*visit) error {
			return &refusal{status: http.StatusNotFound, Message: "The explorer has no such page."}
		})
	}))
	return mux
}

// confine sets headers that confine the pages, and rejects requests whose Host is not this machine. So the page of a
// site whose name was changed to resolve to a loopback address cannot read the explorer (DNS rebinding).
func confine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "+
			"font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !isLoopback(r.Host) {
			http.Error(w, "The data explorer answers only at localhost and at loopback addresses.",
				http.StatusMisdirectedRequest)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r)
	})
}

// isLoopback reports whether a Host header names this machine, with any port.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// answer turns an error of a handler into an error page. It logs errors that are not the engine's answers.
func (e *explorer) answer(handle func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := handle(w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		page := view.ErrorPage{Title: "Something went wrong", Message: "The engine's log contains the reason."}
		status := http.StatusInternalServerError
		if refused, ok := errors.AsType[*refusal](err); ok {
			status = refused.status
			page.Title, page.Message = http.StatusText(status), refused.Message
		} else {
			e.log.Error("data explorer failed", "error", err)
		}
		page.LoggedIn = e.sessions.valid(token(r), e.now())
		if err := e.render(w, r, status, view.Error(page)); err != nil {
			e.log.Error("data explorer failed", "error", err)
		}
	}
}

// render sends a page, and nothing if it cannot be rendered.
func (e *explorer) render(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(r.Context(), &b); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the client may have disconnected
	return nil
}

// visit is a request for a page with data.
type visit struct {
	*explorer
	client client
	w      http.ResponseWriter
	r      *http.Request
	at     containerRef // the page's container, unless it shows all
}

// visit calls the handler of a page if the browser has a session. Otherwise it asks for the key.
func (e *explorer) visit(w http.ResponseWriter, r *http.Request, page func(*visit) error) error {
	if !e.sessions.valid(token(r), e.now()) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return &refusal{status: http.StatusUnauthorized, Message: "Your session has ended. Enter the key in " +
				"another tab, then go back in this one: your text is safe. Send the form again."}
		}
		http.Redirect(w, r, view.LogInPath+"?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return nil
	}
	if err := r.ParseForm(); err != nil {
		return &refusal{status: http.StatusBadRequest, Message: "The form is too large or not valid."}
	}
	return page(&visit{explorer: e, client: client{operator: e.operator}, w: w, r: r,
		at: containerRef{r.PathValue("database"), r.PathValue("container")}})
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// page returns the model of the layout with the charges so far. The container is in the trail of links.
func (v *visit) page(title string) view.Page {
	p := view.Page{Title: title, LoggedIn: true, Write: v.write, Charge: v.client.charge, Requests: v.client.requests}
	if v.at.name != "" {
		_, part, _ := strings.Cut(v.r.Pattern, "{container}")
		p.Part = strings.TrimPrefix(part, "/")
		p.Container = &view.Container{Database: v.at.database, Name: v.at.name}
	}
	return p
}

func (v *visit) show(status int, page templ.Component) error { return v.render(v.w, v.r, status, page) }
