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

// A framed page is the same for everybody who is signed in, but for a few gaps, which are
// filled for each: who it is, above all. Its pieces are compressed once; what goes between
// them is not, so that a page costs about as much as copying it, and its length tells nothing
// of what stands beside a secret.
type pageShell struct{ pieces []shellPiece }

type shellPiece struct{ plain, deflated []byte }

// fits tells whether an answer is a frame.
func fits(f *site.ShellRequest, answer *answerRecorder) bool {
	return answer.status == http.StatusOK && answer.keepable() && f.Shared && !f.Refused
}

// frame gives the frame of the page that is asked for, or nil when it has none.
func (p *Middleware) frame(r *http.Request) (frame *pageShell, hit bool) {
	key := p.key(shellEntry, r)
	if k, ok := p.cache.get(key, time.Now()); ok {
		return k.value.(*pageShell), true
	}
	made := p.cache.fill(key, func() (*entry, bool) {
		var f site.ShellRequest
		answer, parts := p.ask(r.Context(), key, &f)
		if !fits(&f, answer) {
			return &entry{value: (*pageShell)(nil)}, false
		}
		frame := newPageShell(answer.body.Bytes(), p.packers)
		return &entry{value: frame, weight: frame.weight(), parts: parts}, true
	})
	return made.value.(*pageShell), false
}

func newPageShell(body []byte, p *encoders) *pageShell {
	var frame pageShell
	for text := range bytes.SplitSeq(body, []byte(views.Gap)) {
		frame.pieces = append(frame.pieces, shellPiece{bytes.Clone(text), p.piece(text)})
	}
	return &frame
}

func (f *pageShell) weight() uint32 {
	n := EntryOverhead
	for _, piece := range f.pieces {
		n += len(piece.plain) + len(piece.deflated)
	}
	return uint32(n)
}

// shellBuffers are what pages are put together in.
type shellBuffers struct{ page, gap bytes.Buffer }

// maxFrameBuffer is what is worth keeping of a buffer, in bytes.
const maxFrameBuffer = 1 << 20

func newShellBuffers() *sync.Pool { return &sync.Pool{New: func() any { return new(shellBuffers) }} }

// ServeShell puts the page together from its shell if a signed-in viewer asks and there is one.
func (p *Middleware) ServeShell(c echo.Context,
	viewer func(echo.Context) (domain.User, error)) (answered bool, err error) {
	r := c.Request()
	if !readsKept(r.Context()) || !mayBeKept(r) {
		return false, nil
	}
	u, err := viewer(c)
	if err != nil || u.ID == "" {
		return false, err
	}
	frame, hit := p.frame(r)
	if frame == nil {
		return false, nil
	}
	return true, p.fillGaps(c, frame, u, hit)
}

// fillGaps puts a page together for its viewer.
func (p *Middleware) fillGaps(c echo.Context, frame *pageShell, viewer domain.User, hit bool) error {
	buffers := p.buffers.Get().(*shellBuffers)
	defer func() {
		if buffers.page.Cap() < maxFrameBuffer {
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
	frame.write(&buffers.page, zipped, func(i int) []byte {
		buffers.gap.Reset()
		failed = cmp.Or(failed, views.FillGap(i, viewer).Render(ctx, &buffers.gap))
		return buffers.gap.Bytes()
	})
	if failed != nil {
		return failed
	}
	h.Set("Cache-Control", site.CachePersonal)
	h.Add("Vary", "HX-Request")
	h.Set("Cache-Status", frameStatus(hit))
	h.Set("Content-Length", strconv.Itoa(buffers.page.Len()))
	return c.HTMLBlob(http.StatusOK, buffers.page.Bytes())
}

// write puts a page together. What fills a gap is used before the next one is asked for.
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

func frameStatus(hit bool) string {
	if hit {
		return site.CacheHit + "; detail=frame"
	}
	return cacheMiss + "; detail=frame"
}

// gzipHeader is that of a file without a name or a time, from an unknown system (RFC 1952).
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// writeStored writes blocks that are not compressed (RFC 1951, 3.2.4).
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
