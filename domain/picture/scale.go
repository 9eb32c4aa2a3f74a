package picture

import (
	"image"
	"image/color"
	"image/draw"
)

// turned returns the picture upright, in the given size, with colours of sRGB.
func (u *upright) turned(width, height int) image.Image {
	w, h := u.turn.size(width, height)
	if u.turn == upside && u.area == u.Bounds() && u.area.Size() == image.Pt(w, h) {
		return u.colours.convert(plain(u.Image))
	}
	return u.colours.convert(u.turn.apply(scale(u.Image, u.area, w, h)))
}

// scale returns an area of a picture in a smaller size. Each pixel of the result is the average of the area that it
// covers, so scaling takes one pass over the samples. The result is Gray, YCbCr with 4:2:0 subsampling, or RGBA.
func scale(src image.Image, area image.Rectangle, width, height int) image.Image {
	r := image.Rect(0, 0, width, height)
	switch src := src.(type) {
	case *image.Gray:
		dst := image.NewGray(r)
		average(plane{dst.Pix, dst.Stride, width, height}, grayPlane(src, area).size(), 1, grayPlane(src, area).row)
		return dst
	case *image.YCbCr:
		dst := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
		from, to := planes(src, area), planes(dst, r)
		for i := range from {
			average(to[i], from[i].size(), 1, from[i].row)
		}
		return dst
	case *image.Gray16:
		dst := image.NewGray(r)
		row := make([]byte, area.Dx())
		average(plane{dst.Pix, dst.Stride, width, height}, area.Size(), 1, func(y int) []byte {
			at := src.PixOffset(area.Min.X, area.Min.Y+y)
			for x := range row {
				row[x] = src.Pix[at+2*x]
			}
			return row
		})
		return dst
	}
	dst := image.NewRGBA(r)
	average(plane{dst.Pix, dst.Stride, width, height}, area.Size(), 4, rgbaRows(src, area))
	return dst
}

// plane holds rows of samples, of one or several channels.
type plane struct {
	pix           []byte
	stride        int
	width, height int
}

func (p plane) size() image.Point { return image.Pt(p.width, p.height) }

func (p plane) row(y int) []byte { return p.pix[y*p.stride:] }

func grayPlane(src *image.Gray, area image.Rectangle) plane {
	return plane{src.Pix[src.PixOffset(area.Min.X, area.Min.Y):], src.Stride, area.Dx(), area.Dy()}
}

// planes returns the three planes of an area. The colour planes are smaller if they are subsampled.
func planes(src *image.YCbCr, area image.Rectangle) [3]plane {
	last := area.Max.Sub(image.Pt(1, 1))
	from, to := src.COffset(area.Min.X, area.Min.Y), src.COffset(last.X, last.Y)
	height := (to-src.COffset(last.X, area.Min.Y))/src.CStride + 1
	width := src.COffset(last.X, area.Min.Y) - from + 1
	return [3]plane{
		{src.Y[src.YOffset(area.Min.X, area.Min.Y):], src.YStride, area.Dx(), area.Dy()},
		{src.Cb[from:], src.CStride, width, height},
		{src.Cr[from:], src.CStride, width, height},
	}
}

// span is the part of a source row that a destination pixel covers: the fraction first of the pixel at, then whole
// pixels, then the fraction last of one more pixel.
type span struct {
	at, whole   int
	first, last float32
}

// spans divides from source pixels among to destination pixels, where to is at most from.
func spans(from, to int) []span {
	list := make([]span, to)
	at, left := 0, to // left is the unused part of the pixel at, in units of 1/to of a source pixel
	for i := range list {
		need := from
		first := min(left, need)
		s := span{at: at, first: float32(first) / float32(to)}
		need -= first
		if left -= first; left == 0 {
			at, left = at+1, to
		}
		s.whole = need / to
		need -= s.whole * to
		at += s.whole
		s.last = float32(need) / float32(to)
		left -= need
		list[i] = s
	}
	return list
}

// average fills each pixel of dst with the average of the area that it covers in the source. The source has the given
// size, and row returns its rows. Both have one or four channels.
func average(dst plane, size image.Point, channels int, row func(y int) []byte) {
	across, down := spans(size.X, dst.width), spans(size.Y, dst.height)
	sums := make([]float32, dst.width*channels) // sums over the spans of a source row
	total := make([]float32, len(sums))         // sums over the source rows of a destination row
	have := -1                                  // the source row that sums is of
	share := float32(dst.width) / float32(size.X) * float32(dst.height) / float32(size.Y)
	add := func(y int, part float32) {
		if part == 0 {
			return
		}
		if have != y {
			sumRow(sums, row(y), across, channels)
			have = y
		}
		part *= share
		to := total[:len(sums)]
		for i, s := range sums {
			to[i] += s * part
		}
	}
	for y, s := range down {
		clear(total)
		add(s.at, s.first)
		for i := range s.whole {
			add(s.at+1+i, 1)
		}
		add(s.at+1+s.whole, s.last)
		out := dst.row(y)[:len(total)]
		for i, t := range total {
			out[i] = uint8(int32(t + 0.5))
		}
	}
}

func sumRow(sums []float32, row []byte, across []span, channels int) {
	if channels == 1 {
		for i, s := range across {
			p := row[s.at:]
			var whole uint32
			for _, v := range p[1 : 1+s.whole] {
				whole += uint32(v)
			}
			sum := s.first*float32(p[0]) + float32(whole)
			if s.last > 0 {
				sum += s.last * float32(p[1+s.whole])
			}
			sums[i] = sum
		}
		return
	}
	for i, s := range across {
		p := row[4*s.at:]
		var r, g, b, a uint32
		for q := p[4 : 4+4*s.whole]; len(q) >= 4; q = q[4:] {
			r, g, b, a = r+uint32(q[0]), g+uint32(q[1]), b+uint32(q[2]), a+uint32(q[3])
		}
		out := sums[4*i : 4*i+4]
		out[0] = s.first*float32(p[0]) + float32(r)
		out[1] = s.first*float32(p[1]) + float32(g)
		out[2] = s.first*float32(p[2]) + float32(b)
		out[3] = s.first*float32(p[3]) + float32(a)
		if s.last > 0 {
			q := p[4+4*s.whole:][:4]
			out[0] += s.last * float32(q[0])
			out[1] += s.last * float32(q[1])
			out[2] += s.last * float32(q[2])
			out[3] += s.last * float32(q[3])
		}
	}
}

// rgbaRows returns a function that returns the rows of an area as RGBA. Each call may overwrite the row of the previous
// call.
func rgbaRows(src image.Image, area image.Rectangle) func(y int) []byte {
	row := image.NewRGBA(image.Rect(0, 0, area.Dx(), 1))
	switch src := src.(type) {
	case *image.RGBA:
		return func(y int) []byte { return src.Pix[src.PixOffset(area.Min.X, area.Min.Y+y):] }
	case *image.Paletted:
		var colours [256]color.RGBA
		for i, c := range src.Palette {
			colours[i] = color.RGBAModel.Convert(c).(color.RGBA)
		}
		return func(y int) []byte {
			from := src.Pix[src.PixOffset(area.Min.X, area.Min.Y+y):]
			for x := range area.Dx() {
				c, to := colours[from[x]], row.Pix[4*x:4*x+4]
				to[0], to[1], to[2], to[3] = c.R, c.G, c.B, c.A
			}
			return row.Pix
		}
	case *image.NRGBA64:
		return func(y int) []byte {
			from := src.Pix[src.PixOffset(area.Min.X, area.Min.Y+y):]
			for x := range area.Dx() {
				p, to := from[8*x:8*x+8], row.Pix[4*x:4*x+4]
				a := uint32(p[6])
				to[0], to[1], to[2] = premultiplied(p[0], a), premultiplied(p[2], a), premultiplied(p[4], a)
				to[3] = p[6]
			}
			return row.Pix
		}
	case *image.NYCbCrA:
		return func(y int) []byte {
			y += area.Min.Y
			for x := range area.Dx() {
				i, j, k := src.YOffset(area.Min.X+x, y), src.COffset(area.Min.X+x, y), src.AOffset(area.Min.X+x, y)
				r, g, b := color.YCbCrToRGB(src.Y[i], src.Cb[j], src.Cr[j])
				a, to := uint32(src.A[k]), row.Pix[4*x:4*x+4]
				to[0], to[1], to[2], to[3] = premultiplied(r, a), premultiplied(g, a), premultiplied(b, a), src.A[k]
			}
			return row.Pix
		}
	}
	return func(y int) []byte {
		draw.Draw(row, row.Rect, src, image.Pt(area.Min.X, area.Min.Y+y), draw.Src)
		return row.Pix
	}
}

func premultiplied(sample uint8, alpha uint32) uint8 {
	return uint8((uint32(sample)*alpha + 127) / 255)
}

// plain returns the picture with eight bits per sample, in a type that its encoder supports directly.
func plain(src image.Image) image.Image {
	switch src.(type) {
	case *image.Gray, *image.Paletted, *image.YCbCr, *image.NRGBA, *image.RGBA:
		return src
	}
	return scale(src, src.Bounds(), src.Bounds().Dx(), src.Bounds().Dy())
}
