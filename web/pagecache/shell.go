package pagecache

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/static"
	"inkfeed/views"
	"inkfeed/web/site"
)

// pageShell is a page that is the same for all signed-in users, except for a few gaps that show the
// viewer. The pieces between the gaps are compressed once, and the gaps are not compressed. So
// serving a page costs about as much as copying it, and the length of the response reveals nothing
// about text next to a secret.
type pageShell struct{ pieces []shellPiece }

type shellPiece struct{ plain, deflated []byte }

// isShell reports whether the response to a shell request is a shell.
func isShell(f *site.ShellRequest, answer *responseRecorder) bool {
	return answer.status == http.StatusOK && answer.isCacheable() && f.Shared && !f.Refused
}

// shell returns the shell of the requested page for viewers with a language setting, or nil if the page has none. It
// also reports whether the shell was in the cache.
func (p *Middleware) shell(r *http.Request, own string) (shell *pageShell, hit bool) {
	key := p.key(shellEntry, r, own)
	if k, ok := p.cache.get(key, time.Now()); ok {
		return k.value.(*pageShell), true
	}
	made := p.cache.fill(r.Context(), key, func() (*entry, bool) {
		var f site.ShellRequest
		answer, parts := p.render(r.Context(), key, &f)
		if !isShell(&f, answer) {
			return &entry{value: (*pageShell)(nil)}, false
		}
		shell := newPageShell(answer.body.Bytes(), p.encoders)
		return &entry{value: shell, weight: shell.weight(), parts: parts}, true
	})
	return made.value.(*pageShell), false
}

// Holds reports whether the cache could hold the page of a request, and whether it holds the response for anonymous
// visitors and the shell for signed-in users with a language setting now.
func (p *Middleware) Holds(r *http.Request, own string) (cacheable, page, shell bool) {
	now := time.Now()
	if !p.mayBeCached(r) || !p.cache.isTrusted(now) {
		return false, false, false
	}
	_, page = p.cache.get(p.key(pageEntry, r, own), now)
	_, shell = p.cache.get(p.key(shellEntry, r, own), now)
	return true, page, shell
}

func newPageShell(body []byte, p *encoders) *pageShell {
	var shell pageShell
	for text := range bytes.SplitSeq(body, []byte(views.ShellGap)) {
		shell.pieces = append(shell.pieces, shellPiece{bytes.Clone(text), p.deflatePiece(text)})
	}
	return &shell
}

func (f *pageShell) weight() uint32 {
	n := EntryOverhead
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
	shell, hit := p.shell(r, u.Language)
	if shell == nil {
		return false, nil
	}
	return true, p.fillGaps(c, shell, u, hit)
}

// fillGaps writes the page for its viewer.
func (p *Middleware) fillGaps(c echo.Context, shell *pageShell, viewer domain.User, hit bool) error {
	buffers := p.buffers.Get().(*shellBuffers)
	defer func() {
		if buffers.page.Cap() < maxShellBuffer {
			p.buffers.Put(buffers)
		}
	}()
	h := c.Response().Header()
	zipped := static.Accepts(c.Request().Header["Accept-Encoding"]...)[static.Gzip] > 0
	if zipped {
		h.Set("Content-Encoding", static.Gzip.String())
	}
	ctx := context.WithoutCancel(c.Request().Context())
	var failed error
	buffers.page.Reset()
	shell.write(&buffers.page, zipped, func(i int) []byte {
		buffers.gap.Reset()
		failed = cmp.Or(failed, views.ShellPart(i, viewer).Render(ctx, &buffers.gap))
		return buffers.gap.Bytes()
	})
	if failed != nil {
		return failed
	}
	h.Set("Cache-Control", site.CachePersonal)
	p.site.SetLanguageHeaders(c)
	h.Set("Cache-Status", shellStatus(hit))
	h.Set("Content-Length", strconv.Itoa(buffers.page.Len()))
	return c.HTMLBlob(http.StatusOK, buffers.page.Bytes())
}

// write assembles a page, as a gzip file if zipped is set. It uses the result of fill before it
// calls fill again, so fill may reuse its buffer.
func (f *pageShell) write(page *bytes.Buffer, zipped bool, fill func(gap int) []byte) {
	if !zipped {
		for i, piece := range f.pieces {
			if i > 0 {
				page.Write(fill(i - 1))
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
			text := fill(i - 1)
			count(text)
			writeStored(page, text, false)
		}
		count(piece.plain)
		page.Write(piece.deflated)
	}
	writeStored(page, nil, true)
	page.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(page.AvailableBuffer(), sum), size))
}

func shellStatus(hit bool) string {
	if hit {
		return site.CacheHit + "; detail=frame"
	}
	return cacheMiss + "; detail=frame"
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
