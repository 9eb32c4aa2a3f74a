package picture

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"slices"

	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// frames describes the frames of a GIF, on which the cost of decoding depends.
type frames struct {
	count  int
	pixels int64 // of all frames
	first  int64 // pixels of the first frame
	screen image.Rectangle
	ended  bool // whether the file has an end
}

var errGIF = errors.New("a GIF's blocks do not fit")

// gifFrame is a frame of a GIF before it is decoded.
type gifFrame struct {
	image.Rectangle
	table      []byte // colours
	control    []byte // the extension before the frame: flags, delay, transparent index; nil if there is none
	interlaced bool
	codeSize   int
	data       []byte // blocks of compressed pixels
}

// gifFile describes a GIF.
type gifFile struct {
	screen image.Rectangle
	table  []byte // colours of the frames without a table of their own
	loops  int    // as in package image/gif
	ended  bool   // whether the file has an end
}

// walkGIF reads the blocks of a GIF and passes each frame to the given function. Like browsers, it stops at the first
// block that is not known, and passes on a last frame that is cut off.
func walkGIF(file []byte, each func(*gifFile, gifFrame)) (g gifFile, err error) {
	const (
		headerSize, descriptorSize  = 13, 10
		extension, picture, trailer = 0x21, 0x2c, 0x3b
	)
	if len(file) < headerSize {
		return g, errGIF
	}
	u16 := func(b []byte) int { return int(binary.LittleEndian.Uint16(b)) }
	g = gifFile{screen: image.Rect(0, 0, u16(file[6:]), u16(file[8:])), loops: -1}
	rest := file[headerSize:]
	if g.table, rest, err = cutTable(rest, file[10]); err != nil {
		return g, err
	}
	var control []byte
	for frames := 0; len(rest) > 1; {
		switch rest[0] {
		case extension:
			kind := rest[1]
			var data []byte
			data, rest = cutBlocks(rest[2:])
			switch {
			case kind == 0xf9 && len(data) >= 5:
				control = data[1:5]
			case kind == 0xff && len(data) >= 16 && string(data[1:12]) == "NETSCAPE2.0" && data[13] == 1:
				g.loops = u16(data[14:])
			}
		case picture:
			if len(rest) < descriptorSize {
				return g, nil
			}
			at, size, flags := image.Pt(u16(rest[1:]), u16(rest[3:])), image.Pt(u16(rest[5:]), u16(rest[7:])), rest[9]
			f := gifFrame{Rectangle: image.Rectangle{at, at.Add(size)}, control: control, interlaced: flags&0x40 != 0}
			if frames++; frames == 1 { // browsers enlarge the screen for it
				g.screen.Max = image.Pt(max(g.screen.Max.X, f.Max.X), max(g.screen.Max.Y, f.Max.Y))
			}
			if f.table, rest, err = cutTable(rest[descriptorSize:], flags); err != nil || len(rest) < 1 {
				return g, nil
			}
			f.codeSize = int(rest[0])
			f.data, rest = cutBlocks(rest[1:])
			each(&g, f)
			control = nil
		case trailer:
			g.ended = true
			return g, nil
		default:
			return g, nil
		}
	}
	g.ended = len(rest) == 1 && rest[0] == trailer
	return g, nil
}

// countFrames reads a GIF's blocks without decoding them. A small file may contain very many frames.
func countFrames(file []byte) (f frames, err error) {
	g, err := walkGIF(file, func(_ *gifFile, frame gifFrame) {
		f.count++
		pixels := int64(frame.Dx()) * int64(frame.Dy())
		if f.pixels += pixels; f.count == 1 {
			f.first = pixels
		}
	})
	f.screen, f.ended = g.screen, g.ended
	if err == nil && f.count == 0 {
		err = errGIF
	}
	return f, err
}

// cutTable cuts off the colour table that follows a descriptor with the given flags.
func cutTable(rest []byte, flags byte) (table, after []byte, err error) {
	if flags&0x80 == 0 {
		return nil, rest, nil
	}
	size := 3 << (flags&7 + 1)
	if len(rest) < size {
		return nil, nil, errGIF
	}
	return rest[:size], rest[size:], nil
}

// cutBlocks cuts off data in blocks, which end with an empty block. Nothing is left if the data is cut off.
func cutBlocks(rest []byte) (data, after []byte) {
	for at := 0; at < len(rest); at += 1 + int(rest[at]) {
		if rest[at] == 0 {
			return rest[:at+1], rest[at+1:]
		}
	}
	return rest, nil
}

// gifData reads data in blocks.
type gifData struct{ blocks, block []byte }

func (d *gifData) Read(b []byte) (int, error) {
	if len(d.block) == 0 {
		if len(d.blocks) == 0 || d.blocks[0] == 0 {
			return 0, io.EOF
		}
		n := min(1+int(d.blocks[0]), len(d.blocks))
		d.block, d.blocks = d.blocks[1:n], d.blocks[n:]
	}
	n := copy(b, d.block)
	d.block = d.block[n:]
	return n, nil
}

// animation is a GIF with several frames.
type animation struct{ *gif.GIF }

// decodeGIF decodes all frames. The returned picture is the first. Like browsers, it cuts off what is beyond the
// screen, and keeps the rows that a frame has.
func (s *seen) decodeGIF(turn *throttle.Turn) (moving *animation, first image.Image, err error) {
	g := &gif.GIF{}
	read, err := walkGIF(s.file, func(of *gifFile, f gifFrame) {
		m, whole := f.decode(turn, of)
		if s.cut = s.cut || !whole; m == nil {
			return
		}
		flags, delay := byte(0), 0
		if f.control != nil {
			flags, delay = f.control[0], int(binary.LittleEndian.Uint16(f.control[1:]))
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, m), append(g.Delay, delay), append(g.Disposal, flags>>2&7)
	})
	if err == nil && len(g.Image) == 0 {
		err = errGIF
	}
	if err != nil {
		return nil, nil, err
	}
	g.LoopCount, g.Config = read.loops, image.Config{Width: read.screen.Dx(), Height: read.screen.Dy()}
	if read.table != nil {
		g.Config.ColorModel, g.BackgroundIndex = gifPalette(read.table), s.file[11]
	}
	first = g.Image[0]
	if first.Bounds() != read.screen { // a frame may be smaller than the picture
		canvas := image.NewNRGBA(read.screen)
		draw.Draw(canvas, first.Bounds(), first, first.Bounds().Min, draw.Src)
		first = canvas
	}
	if len(g.Image) == 1 {
		return nil, first, nil
	}
	return &animation{g}, first, nil
}

// decode decodes a frame. If pixels are missing, it returns the rows above them, or nil if there are none.
func (f gifFrame) decode(turn *throttle.Turn, g *gifFile) (m *image.Paletted, whole bool) {
	table := f.table
	if table == nil {
		table = g.table
	}
	m = image.NewPaletted(f.Rectangle, gifPalette(table))
	if f.control != nil && f.control[0]&1 != 0 {
		m.Palette = withClear(m.Palette, f.control[3])
	}
	if f.codeSize < 2 || f.codeSize > 8 || f.Empty() {
		return nil, false
	}
	n, _ := io.ReadFull(lzw.NewReader(turn.Reader(&gifData{blocks: f.data}), lzw.LSB, f.codeSize), m.Pix)
	rows := n / f.Dx()
	if last := slices.Max(m.Pix); int(last) >= len(m.Palette) {
		m.Palette = withClear(m.Palette, last)
	}
	shown := f.Rectangle
	if f.interlaced {
		m.Pix = f.unlaced(m.Pix)
	} else {
		shown.Max.Y = shown.Min.Y + rows
	}
	if shown = shown.Intersect(g.screen); rows == 0 || shown.Empty() {
		return nil, rows == f.Dy()
	}
	return m.SubImage(shown).(*image.Paletted), rows == f.Dy()
}

// unlaced returns the rows of an interlaced frame in their order.
func (f gifFrame) unlaced(pix []byte) []byte {
	out, width := make([]byte, 0, len(pix)), f.Dx()
	sorted, from := make([][]byte, f.Dy()), 0
	for _, pass := range [4][2]int{{0, 8}, {4, 8}, {2, 4}, {1, 2}} {
		for y := pass[0]; y < f.Dy(); y += pass[1] {
			sorted[y] = pix[from : from+width]
			from += width
		}
	}
	for _, row := range sorted {
		out = append(out, row...)
	}
	return out
}

// gifPalette returns the colours of a table. Without a table, they are black.
func gifPalette(table []byte) (p color.Palette) {
	for ; len(table) >= 3; table = table[3:] {
		p = append(p, color.RGBA{table[0], table[1], table[2], 255})
	}
	if p == nil {
		p = color.Palette{color.RGBA{A: 255}}
	}
	return p
}

// withClear makes a colour transparent. The colours before it that the palette lacks are transparent, too.
func withClear(p color.Palette, index byte) color.Palette {
	for len(p) <= int(index) {
		p = append(p, color.RGBA{})
	}
	p[index] = color.RGBA{}
	return p
}

// keepAnimation encodes the frames again, without comments and other extensions.
func (u *upright) keepAnimation(userID string) (Picture, error) {
	var b bytes.Buffer
	if err := gif.EncodeAll(u.work.Writer(&b), u.animation.GIF); err != nil {
		return Picture{}, damaged(err)
	}
	name := domain.NewImageName(userID, b.Bytes(), u.animation.Config.Width, u.animation.Config.Height, domain.ExtGIF)
	return Picture{Name: name, Files: []File{{name.String(), b.Bytes()}}}, nil
}
