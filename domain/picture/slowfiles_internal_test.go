package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"math/rand/v2"
)

func baseline(n int, data bool, sampling ...byte) []byte {
	var components []int
	blocks := 0
	for i, hv := range sampling {
		components = append(components, i)
		blocks += int(hv>>4) * int(hv&15)
	}
	blocks *= (n/8/int(sampling[0]>>4) + 1) * (n/8/int(sampling[0]&15) + 1)
	s := slowScan{components: components, dc: huffman{0, 0}, ac: huffman{0, 0}, data: make([]byte, blocks/4+8)}
	if data {
		s.ac, s.data = huffman{1, 0x81, 0x11, 0}, randomBytes(min(8_000_000, 12*blocks))
	}
	return slowJPEG{width: n, height: n, sampling: sampling, adobe: len(sampling) == 4, scans: []slowScan{s}}.file()
}

// shortCodes returns a picture whose data are valid, whatever their bits.
func shortCodes(n int, sampling ...byte) []byte {
	j := slowJPEG{width: n, height: n, sampling: sampling}
	s := slowScan{dc: huffman{0, 1}, ac: huffman{1, 0}, data: randomBytes(min(9_000_000, 2*n*n))}
	for i := range sampling {
		s.components = append(s.components, i)
	}
	j.scans = []slowScan{s}
	return j.file()
}

// refinements returns a picture without zero coefficients, with scans that have one more bit of
// each coefficient.
func refinements(n, scans int) []byte {
	blocks := ((n + 7) / 8) * ((n + 7) / 8)
	j := slowJPEG{width: n, height: n, sampling: []byte{0x11}, progressive: true}
	j.scans = append(j.scans,
		slowScan{components: []int{0}, rest: 13, dc: huffman{0}, ac: huffman{0}, data: make([]byte, blocks/8+8)},
		// One bit for each code, and one for each value.
		slowScan{components: []int{0}, from: 1, to: 63, rest: 13, dc: huffman{0}, ac: huffman{1},
			data: make([]byte, blocks*126/8+1)},
	)
	for i := range scans {
		// A run over all blocks without new coefficients, then the bits of the existing ones.
		data := ones(15, 1)
		data = append(data, make([]byte, blocks*63/8+1000)...)
		j.scans = append(
			j.scans,
			slowScan{components: []int{0}, from: 1, to: 63, before: byte(13 - i), rest: byte(12 - i),
				dc: huffman{0}, ac: huffman{0xe0}, data: data},
		)
	}
	return j.file()
}

func zeroPNG(n int, depth, colour, interlace byte) []byte {
	p := pngFile{depth: int(depth), channels: map[byte]int{0: 1, 2: 3, 6: 4}[colour], interlaced: interlace == 1}
	data := zlibOf(func(*bitWriter) int { return 0 }, int(p.raw(n, n)))
	return pngOf(n, n, depth, colour, interlace, appendPNGChunk(nil, "IDAT", data))
}

func matchPNG(n int) []byte {
	raw := n * (4*n + 1)
	return pngOf(n, n, 8, 6, 0, appendPNGChunk(nil, "IDAT", zlibOf(func(w *bitWriter) int {
		matches := min(raw/3-1, 36_000_000)
		matchBlock(w, matches)
		return 3*matches + 1
	}, raw)))
}

// noisePNG returns filtered noise with few values in all channels.
func noisePNG(n int) []byte {
	random := rand.New(rand.NewPCG(5, 6))
	img := image.NewNRGBA(image.Rect(0, 0, n, n))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32() & 1)
	}
	file, err := encodePNG(nil, img)
	if err != nil {
		panic(err)
	}
	return file
}

func chunkPNG(n int) []byte {
	data := zlibOf(func(*bitWriter) int { return 0 }, n*(n+1))
	var chunks []byte
	for len(data) > 0 {
		chunks = appendPNGChunk(chunks, "IDAT", data[:1])
		data = data[1:]
	}
	for len(chunks) < 9_000_000 {
		chunks = appendPNGChunk(chunks, "tEXt", nil)
	}
	return pngOf(n, n, 8, 0, 0, chunks)
}

func movingGIF(n, frames int) []byte {
	random := rand.New(rand.NewPCG(7, 8))
	img := image.NewPaletted(image.Rect(0, 0, max(1, n), max(1, n)), color.Palette{color.White, color.Black})
	for i := range img.Pix {
		img.Pix[i] = uint8(min(1, random.IntN(16)))
	}
	for i := range 254 {
		img.Palette = append(img.Palette, color.Gray{uint8(i)})
	}
	g := &gif.GIF{}
	for range frames {
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// framesOfSizes returns a GIF with square frames on a square canvas, all of one colour.
func framesOfSizes(canvas int, sides ...int) []byte {
	g := &gif.GIF{Config: image.Config{Width: canvas, Height: canvas}}
	for _, side := range sides {
		img := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.White, color.Black})
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// slowVP8 returns random data, with a seed that gave a slow picture.
func slowVP8(n int) []byte {
	random := rand.New(rand.NewPCG(24, 1))
	first := make([]byte, 1<<19-1)
	for i := range 60 {
		first[i] = byte(random.Uint32())
	}
	return lossy(n, n, first, len(first), randomBytes(min(8_000_000, 2*n*n)))
}
