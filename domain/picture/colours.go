package picture

import (
	"image"
	"image/color"
	"math"
	"sync"
)

// colours converts the colours of a picture to sRGB. A nil value leaves them as they are.
type colours struct {
	light  [3][256]float32 // the linear light of each sample
	toSRGB [3][3]float32
}

// newColours returns the conversion from the given tone curves and the XYZ of red, green and blue, relative to the
// white D50. It returns nil if the colours are those of sRGB.
func newColours(curves [3]curve, primaries matrix) *colours {
	c := &colours{}
	for i, row := range fromD50.times(primaries) {
		for j, v := range row {
			c.toSRGB[i][j] = float32(v)
		}
	}
	for i, f := range curves {
		for v := range c.light[i] {
			c.light[i][v] = float32(unit(f(float64(v) / 255)))
		}
	}
	if c.changesNothing() {
		return nil
	}
	return c
}

// changesNothing reports whether no colour changes by more than a level of 255.
func (c *colours) changesNothing() bool {
	differs := func(a, b uint8) bool { return max(a, b)-min(a, b) > 1 }
	for i := range 1 << 9 {
		r, g, b := uint8(i>>6*36), uint8(i>>3&7*36), uint8(i&7*36)
		if x, y, z := c.rgb(r, g, b); differs(x, r) || differs(y, g) || differs(z, b) {
			return false
		}
	}
	return true
}

func (c *colours) rgb(r, g, b uint8) (x, y, z uint8) {
	lr, lg, lb := c.light[0][r], c.light[1][g], c.light[2][b]
	levels, m := srgbLevels(), &c.toSRGB
	level := func(row *[3]float32) uint8 {
		return levels[int(min(max(row[0]*lr+row[1]*lg+row[2]*lb, 0), 1)*(srgbSteps-1)+0.5)]
	}
	return level(&m[0]), level(&m[1]), level(&m[2])
}

const srgbSteps = 1 << 14

// srgbLevels returns the sample of sRGB for each step of linear light.
var srgbLevels = sync.OnceValue(func() *[srgbSteps]uint8 {
	var levels [srgbSteps]uint8
	for i := range levels {
		v := float64(i) / (srgbSteps - 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		levels[i] = uint8(v*255 + 0.5)
	}
	return &levels
})

// convert returns the picture in sRGB. It must be of a type that plain returns.
func (c *colours) convert(src image.Image) image.Image {
	if c == nil {
		return src
	}
	size := src.Bounds().Size()
	switch src := src.(type) {
	case *image.Paletted:
		dst := *src
		dst.Palette = make(color.Palette, len(src.Palette))
		for i, entry := range src.Palette {
			n := color.NRGBAModel.Convert(entry).(color.NRGBA)
			n.R, n.G, n.B = c.rgb(n.R, n.G, n.B)
			dst.Palette[i] = n
		}
		return &dst
	case *image.Gray:
		dst, from := image.NewGray(image.Rectangle{Max: size}), grayPlane(src, src.Rect)
		var levels [256]uint8
		for v := range levels {
			_, levels[v], _ = c.rgb(uint8(v), uint8(v), uint8(v))
		}
		for y := range size.Y {
			for x, v := range from.row(y)[:size.X] {
				dst.Pix[y*dst.Stride+x] = levels[v]
			}
		}
		return dst
	}
	if src, ok := src.(*image.NRGBA); ok {
		dst := image.NewNRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			from, to := src.Pix[y*src.Stride:], dst.Pix[y*dst.Stride:]
			for i := 0; i < 4*size.X; i += 4 {
				to[i], to[i+1], to[i+2] = c.rgb(from[i], from[i+1], from[i+2])
				to[i+3] = from[i+3]
			}
		}
		return dst
	}
	dst, row := image.NewRGBA(image.Rectangle{Max: size}), rgbaRows(src, src.Bounds())
	for y := range size.Y {
		from, to := row(y), dst.Pix[y*dst.Stride:]
		for i := 0; i < 4*size.X; i += 4 {
			p, q, a := from[i:i+4], to[i:i+4], uint32(from[i+3])
			switch q[3] = p[3]; a {
			case 0:
			case 255:
				q[0], q[1], q[2] = c.rgb(p[0], p[1], p[2])
			default:
				r, g, b := c.rgb(straight(p[0], a), straight(p[1], a), straight(p[2], a))
				q[0], q[1], q[2] = premultiplied(r, a), premultiplied(g, a), premultiplied(b, a)
			}
		}
	}
	return dst
}

// fullRange changes the samples of a WebP, whose luma is from 16 to 235 and whose chroma is from 16 to 240, to those of
// a JPEG, from 0 to 255. The decoder returns them as they are in the file.
func fullRange(img *image.YCbCr) {
	var luma, chroma [256]uint8
	for v := range 256 {
		luma[v] = uint8(255*unit(float64(v-16)/219) + 0.5)
		chroma[v] = uint8(255*unit(float64(v-128)/224+128.0/255) + 0.5)
	}
	for i, v := range img.Y {
		img.Y[i] = luma[v]
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = chroma[img.Cb[i]], chroma[img.Cr[i]]
	}
}

// straight reverses premultiplied.
func straight(sample uint8, alpha uint32) uint8 {
	return uint8(min(255, (uint32(sample)*255+alpha/2)/alpha))
}

// unit returns v, or the nearest number from 0 to 1. It returns 0 for what is not a number.
func unit(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

type (
	vector [3]float64
	matrix [3]vector
)

func (m matrix) apply(v vector) (out vector) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

func (m matrix) times(n matrix) (out matrix) {
	for j := range 3 {
		column := m.apply(vector{n[0][j], n[1][j], n[2][j]})
		out[0][j], out[1][j], out[2][j] = column[0], column[1], column[2]
	}
	return out
}

// inverse returns the inverse matrix. Its elements are not finite if there is none.
func (m matrix) inverse() (out matrix) {
	for i := range 3 {
		for j := range 3 {
			a, b, c, d := (j+1)%3, (j+2)%3, (i+1)%3, (i+2)%3
			out[i][j] = m[a][c]*m[b][d] - m[a][d]*m[b][c]
		}
	}
	factor := 1 / (m[0][0]*out[0][0] + m[0][1]*out[1][0] + m[0][2]*out[2][0])
	for i := range out {
		for j := range out[i] {
			out[i][j] *= factor
		}
	}
	return out
}

var (
	// bradford converts XYZ to responses of the eye, which are scaled to adapt colours to another white.
	bradford = matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	d50      = vector{0.96422, 1, 0.82521}
	// fromD50 converts XYZ relative to the white D50 to linear sRGB.
	fromD50 = chromaticities{0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06}.matrix().inverse()
)

// chromaticities are x and y of white, red, green and blue.
type chromaticities [8]float64

// matrix returns the XYZ of red, green and blue, relative to the white D50.
func (c chromaticities) matrix() matrix {
	xyz := func(i int) vector { return vector{c[i] / c[i+1], 1, (1 - c[i] - c[i+1]) / c[i+1]} }
	var m matrix
	for i := range 3 {
		p := xyz(2 + 2*i)
		m[0][i], m[1][i], m[2][i] = p[0], p[1], p[2]
	}
	amount := m.inverse().apply(xyz(0))
	from, to := bradford.apply(xyz(0)), bradford.apply(d50)
	scaled := matrix{{to[0] / from[0]}, {1: to[1] / from[1]}, {2: to[2] / from[2]}}
	return bradford.inverse().times(scaled).times(bradford).
		times(m).times(matrix{{amount[0]}, {1: amount[1]}, {2: amount[2]}})
}

// finite reports whether all elements are numbers of a usual size.
func (m matrix) finite() bool {
	for _, row := range m {
		for _, v := range row {
			if !(math.Abs(v) < 100) {
				return false
			}
		}
	}
	return true
}
