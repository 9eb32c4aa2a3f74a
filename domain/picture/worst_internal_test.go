//go:build unix

package picture

import (
	"slices"
	"sort"
	"syscall"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/picture/picturetest"
)

// worst holds families of files that are slow for their size. Each function takes the side length of the picture.
var worst = []struct {
	name string
	of   func(side int) []byte
}{
	{"JPEG, grey", func(n int) []byte { return baseline(n, false, 0x11) }},
	{"JPEG, 4:2:0", func(n int) []byte { return baseline(n, true, 0x22, 0x11, 0x11) }},
	{"JPEG, 4:4:4", func(n int) []byte { return baseline(n, true, 0x11, 0x11, 0x11) }},
	{"JPEG, four components", func(n int) []byte { return baseline(n, true, 0x11, 0x11, 0x11, 0x11) }},
	{"JPEG, many scans", func(n int) []byte { return emptyScans(n, n, 50, false) }},
	{"JPEG, many scans of a small picture", func(n int) []byte { return emptyScans(80, 80, n*n/1000, false) }},
	{"JPEG, many refinements", func(n int) []byte { return emptyScans(n, n, 50, true) }},
	{"JPEG, refinements with data", func(n int) []byte { return refinements(n, 8) }},
	{"JPEG, 1x4", func(n int) []byte { return shortCodes(n, 0x14, 0x11, 0x11) }},
	{"JPEG, 4:4:4 without its end", func(n int) []byte { return withoutEnd(shortCodes(n, 0x11, 0x11, 0x11)) }},
	{"JPEG, inks without Adobe's mark", func(n int) []byte {
		return withoutEnd(baseline(n, false, 0x11, 0x11, 0x11, 0x11))
	}},
	{"JPEG, many refinements, without its end", func(n int) []byte { return withoutEnd(emptyScans(n, n, 50, true)) }},
	{"JPEG, Display P3", func(n int) []byte {
		file := baseline(n, true, 0x22, 0x11, 0x11)
		return slices.Concat(file[:2], picturetest.ICC(displayP3, 1), file[2:])
	}},
	{"PNG, Display P3", func(n int) []byte {
		file := zeroPNG(n, 8, 6, 0)
		return slices.Concat(file[:33], picturetest.ICCP(displayP3), file[33:])
	}},
	{"PNG, zeros", func(n int) []byte { return zeroPNG(n, 8, 6, 0) }},
	{"PNG, interlaced", func(n int) []byte { return zeroPNG(n, 8, 2, 1) }},
	{"PNG, 16 bits", func(n int) []byte { return zeroPNG(n, 16, 6, 0) }},
	{"PNG, 16 bits, interlaced", func(n int) []byte { return zeroPNG(n, 16, 2, 1) }},
	{"PNG, 1 bit", func(n int) []byte { return zeroPNG(n, 1, 0, 1) }},
	{"PNG, noise", noisePNG},
	{"PNG, matches", matchPNG},
	{"PNG, small chunks", func(n int) []byte { return chunkPNG(n) }},
	{"GIF, large frames", func(n int) []byte { return movingGIF(n, 4) }},
	{"GIF, small frames", func(n int) []byte { return movingGIF(n/40, 4000) }},
	{"GIF, smaller first frame", func(n int) []byte { return framesOfSizes(max(2, n), max(1, n-1), max(2, n)) }},
	{"GIF, still", func(n int) []byte { return movingGIF(n, 1) }},
	{"WebP, lossless", func(n int) []byte { return riffOf(riffChunk("VP8L", lossless(n, n, 11, true, nil))) }},
	{"WebP, lossless with data", func(n int) []byte {
		return riffOf(riffChunk("VP8L", lossless(n, n, 11, true, randomBytes(n*n/2+100))))
	}},
	{"WebP, lossy", func(n int) []byte { return riffOf(riffChunk("VP8 ", slowVP8(n))) }},
	{"WebP, lossy with alpha", func(n int) []byte {
		return riffOf(vp8x(n, n), riffChunk("ALPH", append([]byte{1 | 3<<2}, lossless(n, n, 11, false, nil)...)),
			riffChunk("VP8 ", slowVP8(n)))
	}},
}

var displayP3 = picturetest.RGBProfile(picturetest.DisplayP3, picturetest.SRGBCurve())

func withoutEnd(file []byte) []byte { return file[:len(file)-2] }

// largest returns the largest accepted file of a family.
func largest(t testing.TB, of func(side int) []byte) ([]byte, *seen) {
	t.Helper()
	side := sort.Search(16383, func(n int) bool {
		if n < 100 {
			return false
		}
		file := of(n)
		_, err := inspect(file)
		return err != nil || len(file) > domain.MaxUpload
	}) - 1
	file := of(side)
	s, err := inspect(file)
	if err != nil {
		t.Fatalf("side %d: %v", side, err)
	}
	return file, s
}

// BenchmarkWorst reports the CPU time of the largest accepted file of each family, which should stay below a second.
func BenchmarkWorst(b *testing.B) {
	for _, w := range worst {
		b.Run(w.name, func(b *testing.B) {
			file, s := largest(b, w.of)
			before := coreTime(b)
			for b.Loop() {
				if _, err := NewMaker(nil).Make(b.Context(), "u", file); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((coreTime(b)-before).Milliseconds())/float64(b.N), "core-ms/op")
			b.ReportMetric(float64(s.Width)*float64(s.Height)/1e6, "MP")
			b.ReportMetric(float64(len(file))/1e6, "MB")
		})
	}
}

func coreTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
