package pagecache

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/static"
	"inkfeed/views"
	"inkfeed/web/site"
)

// pageShell is a page that is the same for all signed-in users whom it is for, except for a few gaps that show the
// viewer. The pieces between the gaps are compressed once, and the gaps are not compressed. So
// serving a page costs about as much as copying it, and the length of the response reveals nothing
// about text next to a secret.
type pageShell struct {
	site.Gaps
	pieces []shellPiece
	header []headerLine
	route  string // the pattern of the route, for traces
}

// shellPiece is the text between two gaps.
type shellPiece struct {
	gap             string // the name of the gap before the piece; empty for the first one
	plain, deflated []byte
}

// isShell reports whether the response to a shell request is a shell. A shell that is not cacheable serves only
// the users who wait for it: for example that of a page that ignores its page number.
func isShell(f *site.ShellRequest, answer *responseRecorder) bool {
	return answer.status == http.StatusOK && f.Shared && !f.Refused && !answer.Incomplete && !answer.isPersonal()
}

// shellFor returns the shell of the requested page for a user, or nil if the page has none: the shared one or, if more
// than the gaps differs, the user's own. It also reports whether the shell was in the cache.
func (p *Middleware) shellFor(r *http.Request, u domain.User,
	get func(cacheKey) (*pageShell, bool)) (shell *pageShell, hit bool) {
	key := p.key(shellEntry, r, u.Language)
	shell, hit = get(key)
	if shell == nil || shell.Ordinary == nil || shell.Ordinary(u) {
		return shell, hit
	}
	key.viewer = u.ID
	return get(key)
}

// shell returns the shell of a key, or nil if the page has none. It also reports whether the shell was in the cache.
func (p *Middleware) shell(ctx context.Context, key cacheKey) (shell *pageShell, hit bool) {
	if shell, hit := p.cachedShell(key); hit {
		return shell, true
	}
	made, err := p.cache.fill(ctx, key, func() (*entry, bool) {
		f := site.ShellRequest{ViewerID: key.viewer}
		answer, dependencies := p.render(ctx, key, &f)
		if !isShell(&f, answer) {
			return &entry{value: (*pageShell)(nil)}, false
		}
		shell := newPageShell(answer, f.Gaps, p.encoders)
		return &entry{value: shell, weight: shell.weight(), dependencies: dependencies}, answer.isCacheable()
	})
	if err != nil {
		return nil, false
	}
	return made.value.(*pageShell), false
}

// cachedShell returns the shell of a key and true, or nil and false if the cache does not hold it.
func (p *Middleware) cachedShell(key cacheKey) (*pageShell, bool) {
	if e, ok := p.cache.get(key, time.Now()); ok {
		return e.value.(*pageShell), true
	}
	return nil, false
}

// Holds reports whether the cache could hold the page of a request, and whether it holds the response for anonymous
// visitors and the shell for signed-in users with a language setting now.
func (p *Middleware) Holds(r *http.Request, language string) (cacheable, page, shell bool) {
	now := time.Now()
	if !p.mayBeCached(r) || !p.cache.isTrusted(now) {
		return false, false, false
	}
	_, page = p.cache.get(p.key(pageEntry, r, language), now)
	_, shell = p.cache.get(p.key(shellEntry, r, language), now)
	return true, page, shell
}

func newPageShell(answer *responseRecorder, gaps site.Gaps, p *encoders) *pageShell {
	shell := pageShell{Gaps: gaps, header: sharedLines(answer.header), route: answer.Route}
	rest, gap := answer.body.Bytes(), ""
	for rest != nil {
		text, after, found := bytes.Cut(rest, []byte(views.GapStart))
		shell.pieces = append(shell.pieces, shellPiece{gap, bytes.Clone(text), p.deflatePiece(text)})
		if rest = nil; found {
			name, following, _ := bytes.Cut(after, []byte(views.GapEnd))
			gap, rest = string(name), following
		}
	}
	return &shell
}

func (f *pageShell) weight() uint32 {
	n := 2 * EntryOverhead // for the functions that fill the gaps, too
	for _, piece := range f.pieces {
		n += len(piece.plain) + len(piece.deflated)
	}
	return uint32(n)
}

// shellBuffers are the buffers that a page is assembled in.
type shellBuffers struct{ page, gap bytes.Buffer }

// maxShellBuffer is the size in bytes from which a buffer is not reused.
const maxShellBuffer = 1 << 20

func newShellBuffers() *sync.Pool { return &sync.Pool{New: func() any { return new(shellBuffers) }} }

// ServeShell answers a signed-in viewer from the shell of the requested page. It reports false, and
// writes nothing, if nobody is signed in or the page has no shell.
func (p *Middleware) ServeShell(c echo.Context,
	viewer func(echo.Context) (domain.User, error)) (answered bool, err error) {
	r := c.Request()
	if !readsCache(r.Context()) || !p.mayBeCached(r) {
		return false, nil
	}
	u, err := viewer(c)
	if err != nil || u.ID == "" {
		return false, err
	}
	shell, hit := p.shellFor(r, u, func(key cacheKey) (*pageShell, bool) { return p.shell(r.Context(), key) })
	if shell == nil {
		return false, nil
	}
	return p.fillGaps(c.Response(), r, shell, u, shellStatus(hit))
}

// fillGaps writes the page for its viewer. It reports false, and writes nothing, if the page does not fit the shell.
func (p *Middleware) fillGaps(w http.ResponseWriter, r *http.Request, shell *pageShell, viewer domain.User,
	status []string) (answered bool, err error) {
	ctx := context.WithoutCancel(r.Context())
	var contents map[string]templ.Component
	if shell.Fill != nil {
		ok := false
		if contents, ok, err = shell.Fill(r.Context(), viewer); err != nil || !ok {
			return false, err
		}
	}
	buffers := p.buffers.Get().(*shellBuffers)
	defer func() {
		if buffers.page.Cap() < maxShellBuffer {
			p.buffers.Put(buffers)
		}
	}()
	zipped := static.Accepts(r.Header["Accept-Encoding"]...)[static.Gzip] > 0
	buffers.page.Reset()
	shell.write(&buffers.page, zipped, func(name string) []byte {
		buffers.gap.Reset()
		if name == views.NavigationGap {
			text, failed := p.navigation(r.Context(), viewer.ID)
			err = cmp.Or(err, failed)
			return text
		}
		content := contents[name]
		if name == views.DeletionGap {
			content = views.ScheduledDeletionNotice(viewer)
		}
		if content == nil {
			err = cmp.Or(err, fmt.Errorf("a shell has an unknown gap %q", name))
			return nil
		}
		err = cmp.Or(err, content.Render(ctx, &buffers.gap))
		return buffers.gap.Bytes()
	})
	if err != nil {
		return false, err
	}
	h := w.Header()
	for _, line := range shell.header {
		h[line.name] = line.values
	}
	if zipped {
		h["Content-Encoding"] = gzipEncoding
	}
	h["Cache-Control"], h["Cache-Status"] = personalControl, status
	h["Content-Length"] = []string{strconv.Itoa(buffers.page.Len())}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(buffers.page.Bytes()) // an error says that the client has disconnected
	return true, nil
}

var (
	gzipEncoding    = []string{static.Gzip.String()}
	personalControl = []string{site.CachePersonal}
)

// write assembles a page, as a gzip file if zipped is set. It uses the result of fill before it
// calls fill again, so fill may reuse its buffer.
func (f *pageShell) write(page *bytes.Buffer, zipped bool, fill func(gap string) []byte) {
	if !zipped {
		for i, piece := range f.pieces {
			if i > 0 {
				page.Write(fill(piece.gap))
			}
			page.Write(piece.plain)
		}
		return
	}
	var sum, size uint32
	count := func(text []byte) {
		sum, size = crc32.Update(sum, crc32.IEEETable, text), size+uint32(len(text))
	}
	page.WriteString(gzipHeader)
	for i, piece := range f.pieces {
		if i > 0 {
			text := fill(piece.gap)
			count(text)
			writeStored(page, text, false)
		}
		count(piece.plain)
		page.Write(piece.deflated)
	}
	writeStored(page, nil, true)
	page.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(page.AvailableBuffer(), sum), size))
}

var shellHit, shellMiss = []string{site.CacheHit + "; detail=shell"}, []string{cacheMiss + "; detail=shell"}

func shellStatus(hit bool) []string {
	if hit {
		return shellHit
	}
	return shellMiss
}

// gzipHeader is the header of a gzip file without a name or time, from an unknown system (RFC
// 1952).
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// writeStored writes text as uncompressed deflate blocks (RFC 1951, section 3.2.4).
func writeStored(page *bytes.Buffer, text []byte, last bool) {
	for {
		block := text[:min(len(text), 1<<16-1)]
		text = text[len(block):]
		first := byte(0)
		if last && len(text) == 0 {
			first = 1
		}
		n := uint16(len(block))
		page.Write(binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(append(page.AvailableBuffer(),
			first), n), ^n))
		page.Write(block)
		if len(text) == 0 {
			return
		}
	}
}
