package picture

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/picture/picturetest"
)

func TestSlowFileIsRejected(t *testing.T) {
	noTables := appendPNGChunk(nil, "IDAT", make([]byte, 10_000_000))
	for _, c := range []struct {
		name, says string
		file       []byte
	}{
		{"a JPEG of 20 KB with many empty scans",
			"in 400 steps, which takes too long to process. Save it as a standard JPEG", emptyScans(2800, 2800, 399,
				false)},
		{"a JPEG with refinement scans", "steps", emptyScans(2800, 2800, 100, true)},
		{"a large JPEG with few scans", "This picture (28.7 megapixels", emptyScans(5360, 5360, 20, true)},
		{"a JPEG with very many scans of few pixels", "steps", emptyScans(160, 160, 60_000, false)},
		{"a sequential JPEG with a repeated scan", "100 steps", repeatedScans(3000, 100)},
		{"an interlaced PNG with much data", "This picture (29.0 megapixels", pngOf(5385, 5385, 8, 2, 1, noTables)},
		{"a PNG with very many chunks", "too long", pngOf(5000, 5000, 8, 2, 0,
			bytes.Repeat(appendPNGChunk(nil, "teXt", nil), 800_000))},
		{"a GIF of many frames", "4,999 frames with 93 megapixels in all, which is too much", movingFrames(137, 4999)},
		{"a GIF whose first frame is smaller than its canvas", "too much to process", framesOfSizes(6300, 6299, 6300)},
		{"a GIF of a large canvas with a tiny frame", "too much to process", framesOfSizes(6600, 6599, 1)},
		{"a lossless WebP", "too long", riffOf(riffChunk("VP8L", lossless(4600, 4600, 11, true, nil)))},
		{"a lossy WebP with alpha", "too long", riffOf(vp8x(4000, 4000), riffChunk("ALPH", []byte{1}),
			riffChunk("VP8 ", lossy(4000, 4000, nil, 0, nil)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := inspect(c.file)
			e, ok := errors.AsType[*domain.Error](err)
			if !ok || e.Kind != domain.Invalid || !strings.Contains(e.Fields["file"].String(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

// repeatedScans returns a sequential JPEG whose scan is repeated.
func repeatedScans(n, scans int) []byte {
	s := slowScan{components: []int{0}, dc: huffman{0, 0}, ac: huffman{0, 0}, data: make([]byte, n*n/64/4+8)}
	return slowJPEG{width: n, height: n, sampling: []byte{0x11}, scans: slices.Repeat([]slowScan{s}, scans)}.file()
}

// movingFrames returns a GIF with the given number of frames and no pixel data.
func movingFrames(n, frames int) []byte {
	var b bytes.Buffer
	img := image.NewPaletted(image.Rect(0, 0, n, n), color.Palette{color.White, color.Black})
	if err := gif.Encode(&b, img, nil); err != nil {
		panic(err)
	}
	file := b.Bytes()
	at := bytes.IndexByte(file[13+6:], 0x2c) + 13 + 6
	return slices.Concat(file[:at], bytes.Repeat(file[at:len(file)-1], frames), []byte{0x3b})
}

// usualProgressive returns a JPEG with the ten scans that libjpeg's jpeg_simple_progression writes for a colour
// picture.
func usualProgressive(width, height int) slowJPEG {
	scan := func(from, to, before, rest byte, components ...int) slowScan {
		return slowScan{components: components, from: from, to: to, before: before, rest: rest, dc: huffman{0},
			ac: huffman{0}}
	}
	return slowJPEG{
		width:       width,
		height:      height,
		sampling:    []byte{0x22, 0x11, 0x11},
		progressive: true,
		scans: []slowScan{
			scan(0, 0, 0, 1, 0, 1,
				2), scan(1, 5, 0, 2, 0), scan(1, 63, 0, 1, 2), scan(1, 63, 0, 1, 1), scan(6, 63, 0, 2, 0),
			scan(1, 63, 2, 1,
				0), scan(0, 0, 1, 0, 0, 1, 2), scan(1, 63, 1, 0, 2), scan(1, 63, 1, 0, 1), scan(1, 63, 1, 0, 0)},
	}
}

func TestUsualPictureIsAccepted(t *testing.T) {
	photo := slowJPEG{width: 8165, height: 6123, sampling: []byte{0x22, 0x11, 0x11}, scans: []slowScan{
		{components: []int{0, 1, 2}, data: make([]byte, 9_000_000)}}}
	cut := slowJPEG{width: 4032, height: 3024, sampling: []byte{0x22, 0x11, 0x11}, scans: []slowScan{
		{components: []int{0, 1, 2}, data: make([]byte, 4_000_000)}}}
	progressive := usualProgressive(6400, 4800)
	progressive.scans[0].data = make([]byte, 9_000_000)
	data := func(n int) []byte { return appendPNGChunk(nil, "IDAT", make([]byte, n)) }
	for name, file := range map[string][]byte{
		"a photograph of 50 megapixels and 9 MB":             photo.file(),
		"a photograph of 12 megapixels, without its end":     withoutEnd(cut.file()),
		"a progressive photograph of 30 megapixels and 9 MB": progressive.file(),
		"a screenshot of 5120 x 2880 pixels and 3 MB":        pngOf(5120, 2880, 8, 2, 0, data(3_000_000)),
		"the same with alpha":                                pngOf(5120, 2880, 8, 6, 0, data(3_000_000)),
		"the same, interlaced":                               pngOf(5120, 2880, 8, 2, 1, data(3_000_000)),
		"a photograph of 8 megapixels as a PNG of 8 MB":      pngOf(3264, 2448, 8, 2, 0, data(8_000_000)),
		"a lossless WebP of 3840 x 2160 pixels and 2 MB": riffOf(riffChunk("VP8L",
			append(lossless(3840, 2160, 11, true, nil), make([]byte, 2_000_000)...))),
		"a lossy WebP of 16 megapixels": riffOf(riffChunk("VP8 ",
			lossy(4618, 3464, nil, 0, make([]byte, 4_000_000)))),
	} {
		t.Run(name, func(t *testing.T) {
			s, err := inspect(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d units of work", s.work(), MaxWork)
		})
	}
}

func TestScansThatTheDecoderRunsAreCounted(t *testing.T) {
	progressive := usualProgressive(64, 48).file()
	insert := func(marker byte, body []byte) []byte {
		return slices.Concat(progressive[:2], jpegSegmentOf(marker, body), progressive[2:])
	}
	second := bytes.Index(progressive[20:], []byte{0xff, 0xda}) + 20
	for name, file := range map[string][]byte{
		"of a progressive picture":               progressive,
		"not those of a thumbnail":               insert(0xe1, append([]byte("Exif\x00\x00"), progressive...)),
		"not those of a second picture after it": append(slices.Clone(progressive), progressive...),
		"after fill bytes": slices.Concat(progressive[:second], []byte{0xff, 0xff},
			progressive[second:]),
		"after garbage": slices.Concat(progressive[:second],
			[]byte("garbage\xff\x00\xff\xd3"), progressive[second:]),
		"after a segment that ends in half a marker": insert(0xfe, []byte("\xff")),
	} {
		t.Run(name, func(t *testing.T) {
			if j := readJPEG(file); j.scans != 10 || !j.progressive || len(j.components) != 3 {
				t.Errorf("counted %d scans and %d components", j.scans, len(j.components))
			}
		})
	}
	t.Run("with the blocks and coefficients that they visit", func(t *testing.T) {
		j := readJPEG(progressive) // 4 x 3 units of four blocks and twice one
		luma, chroma := int64(48), int64(12)
		if want := 6*luma + 2*4*chroma; j.blockScans != want || j.blocks() != luma+2*chroma {
			t.Errorf("%d visits of %d blocks, want %d", j.blockScans, j.blocks(), want)
		}
		if want := 63*(2*luma+2*chroma) + luma + 2*chroma; j.refined != want {
			t.Errorf("%d refined coefficients, want %d", j.refined, want)
		}
	})
}

func TestPartsOfAJPEGGrowWithTheFileOnly(t *testing.T) {
	scan := slowScan{components: []int{0}, from: 1, to: 63, dc: huffman{0}, ac: make(huffman, 14), data: []byte{0}}
	j := slowJPEG{width: 8, height: 8, sampling: []byte{0x11}, progressive: true}
	j.scans = []slowScan{{components: []int{0}, dc: huffman{0}, ac: scan.ac, data: []byte{0, 0}}, scan}
	file := j.file()
	last := bytes.LastIndex(file, []byte{0xff, 0xda})
	bare := file[last : len(file)-2] // a scan without its tables
	file = slices.Concat(file[:len(file)-2], bytes.Repeat(bare, 50_000))
	p := &jpegParts{jpegFile: readJPEG(file), across: 1, down: 1, rows: 8}
	p.parts = []*jpegPart{{jpegComponent: p.components[0], width: 1, height: 1}}
	walkJPEG(file, p.segment)
	if n := p.parts[0].scans.Len(); n < len(file)/2 || n > 2*len(file) {
		t.Errorf("%d bytes become %d", len(file), n)
	}
}

// runScans returns the number of scans that the decoder runs for a JPEG that it can decode. It finds out by giving a
// scan a wrong length: the decoder fails only if it reaches that scan.
func runScans(t *testing.T, file []byte) (n int) {
	t.Helper()
	for at := 0; at+4 <= len(file); at++ {
		if file[at] != 0xff || file[at+1] != jpegScan {
			continue
		}
		broken := slices.Clone(file)
		broken[at+2], broken[at+3] = 0, 0
		if _, err := jpeg.Decode(bytes.NewReader(broken)); err != nil {
			n++
		}
	}
	return n
}

// FuzzWork checks that no accepted file takes more steps than were counted before decoding.
func FuzzWork(f *testing.F) {
	f.Add(emptyScans(16, 16, 3, true))
	f.Add(baseline(16, false, 0x22, 0x11, 0x11))
	f.Add(repeatedScans(16, 3))
	for _, sample := range slices.Concat(picturetest.Rare(), picturetest.Coloured()) {
		f.Add(sample.File)
	}
	thumbnail := emptyScans(8, 8, 1, false)
	f.Add(slices.Concat(thumbnail[:2], jpegSegmentOf(jpegExif, thumbnail), thumbnail[2:], thumbnail))
	for _, c := range []struct{ depth, colour, interlace byte }{{8, 6, 0}, {8, 2, 1}, {1, 0, 1}, {16, 0, 0}} {
		f.Add(zeroPNG(9, c.depth, c.colour, c.interlace))
	}
	f.Add(movingGIF(5, 3))
	f.Add(movingFrames(4, 2))
	f.Add(riffOf(riffChunk("VP8L", lossless(9, 7, 11, true, nil))))
	for _, text := range smallWebPs {
		file, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := inspect(file)
		if err != nil || len(file) > 1<<16 || s.Width*s.Height > 100_000 {
			return
		}
		if work := s.work(); work < 1 || work > MaxWork {
			t.Fatalf("a file with %d units of work is accepted", work)
		}
		if s.kind == kindGIF {
			g, err := gif.DecodeAll(bytes.NewReader(file))
			if err != nil {
				return
			}
			var pixels int64
			for _, frame := range g.Image {
				pixels += int64(len(frame.Pix))
			}
			if len(g.Image) != s.frames.count || pixels != s.frames.pixels {
				t.Errorf("%d frames of %d pixels, counted %+v", len(g.Image), pixels, s.frames)
			}
			return
		}
		u, err := s.decode(nil)
		if err != nil {
			return
		}
		switch s.kind {
		case kindJPEG:
			_, err := jpeg.Decode(bytes.NewReader(file)) // what fails is decoded in parts
			if n := runScans(t, file); err == nil && n > s.jpeg.scans {
				t.Errorf("%d scans, counted %d", n, s.jpeg.scans)
			}
		case kindPNG:
			// The decoder reads exactly the bytes that were counted: it refuses more, and fails if some are missing.
			data := zeroDeflated(int(s.png.raw(s.Width, s.Height)))
			same := pngOf(s.Width, s.Height, file[24], file[25], file[28], palette(file),
				appendPNGChunk(nil, "IDAT", data))
			if _, err := png.Decode(bytes.NewReader(same)); err != nil {
				t.Errorf("the pixels have not %d bytes: %v", len(data), err)
			}
		case kindWebP:
			_, lossy := u.Image.(*image.YCbCr)
			_, alpha := u.Image.(*image.NYCbCrA)
			_, lossless := u.Image.(*image.NRGBA)
			if lossy && !s.webp.lossy || alpha && !(s.webp.lossy && s.webp.lossless) || lossless && !s.webp.lossless {
				t.Errorf("%T, counted as %+v", u.Image, s.webp)
			}
		}
	})
}

func zeroDeflated(n int) []byte { return zlibOf(func(*bitWriter) int { return 0 }, n) }

// palette returns a palette for the PNG if it needs one.
func palette(file []byte) []byte {
	if file[25] != 3 {
		return nil
	}
	return appendPNGChunk(nil, "PLTE", []byte{1, 2, 3})
}

var smallWebPs = []string{
	"UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
	"UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==",
}
