package sample

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"

	"github.com/lucasb-eyer/go-colorful"
)

// The widths of covers in pixels. They have 16:9.
const welcomeWidth, seedWidth, avatarSize = 1280, 960, 384

// covers are the kinds of covers, by the names that sample posts use.
var covers = map[string]func(*canvas){"botanical": (*canvas).botanical, "city": (*canvas).city,
	"forest": (*canvas).forest, "hills": (*canvas).hills, "night": (*canvas).night, "sea": (*canvas).sea,
	"shapes": (*canvas).shapes, "waves": (*canvas).waves}

// Drawing is a picture as a JPEG, with a description.
type Drawing struct {
	File []byte
	Alt  string
}

// The first users have pictures, which is enough to look around. The posts of a user share a few covers.
const picturedUsers, coversOfUser = 20, 3

// Draw draws an avatar for a user, or none for one in five, and covers for the user's posts.
func (b *Blog) Draw(user int) (avatar []byte, drawings []Drawing) {
	if user >= picturedUsers {
		return nil, nil
	}
	random := b.random(uint64(user) + 3*edits)
	if random.IntN(5) > 0 {
		avatar = draw(avatarSize, avatarSize, random.Uint64(), (*canvas).avatar)
	}
	welcome, _ := WelcomePosts("", DefaultLanguage)
	for _, p := range shuffled(random, welcome)[:coversOfUser] {
		drawings = append(drawings, Drawing{draw(seedWidth, seedWidth*9/16, random.Uint64(), covers[p.Picture]), p.Alt})
	}
	return avatar, drawings
}

func draw(width, height int, seed uint64, paint func(*canvas)) []byte {
	random := newRandom(seed, 0)
	c := &canvas{image.NewRGBA(image.Rect(0, 0, width, height)), random, float64(height),
		float64(width) / float64(height), 0}
	paint(c)
	var b bytes.Buffer
	_ = jpeg.Encode(&b, c, &jpeg.Options{Quality: 92}) // writing to memory does not fail
	return b.Bytes()
}

// canvas is a picture whose unit is its height, in pixels. Its hue, in degrees, is the base of its colours.
type canvas struct {
	*image.RGBA
	*rand.Rand
	unit, width, hue float64
}

// brush is a colour at the top and at the bottom of what it paints, an opacity, and the width of soft edges.
type brush struct {
	top, bottom colorful.Color
	alpha, soft float64
}

// ink returns a colour by its lightness and chroma, and by its distance in degrees from the hue of the canvas.
func (c *canvas) ink(lightness, chroma, degrees float64) colorful.Color {
	return colorful.OkLch(lightness, chroma, math.Mod(c.hue+degrees+720, 360))
}

func plain(ink colorful.Color) brush { return brush{ink, ink, 1, 0} }

func (c *canvas) vary(low, high float64) float64 { return low + (high-low)*c.Float64() }

// paint paints the points of a rectangle whose distance from a shape is negative.
func (c *canvas) paint(left, top, right, bottom float64, b brush, distance func(x, y float64) float64) {
	pixel, soft := 1/c.unit, max(b.soft, 1/c.unit)
	for row := max(0, int(top*c.unit)); row < min(c.Rect.Dy(), int(bottom*c.unit)+1); row++ {
		y := (float64(row) + 0.5) * pixel
		ink := b.top.BlendRgb(b.bottom, (y-top)/(bottom-top)).Clamped()
		for column := max(0, int(left*c.unit)); column < min(c.Rect.Dx(), int(right*c.unit)+1); column++ {
			share := b.alpha * min(1, max(0, 0.5-distance((float64(column)+0.5)*pixel, y)/soft))
			if share == 0 {
				continue
			}
			p := c.Pix[c.PixOffset(column, row):]
			for i, part := range [...]float64{ink.R, ink.G, ink.B} {
				p[i] = uint8(float64(p[i])*(1-share) + 255*part*share + 0.5)
			}
			p[3] = 255
		}
	}
}

func (c *canvas) fill(b brush) { c.box(-1, 0, c.width+1, 1.1, b) }

func (c *canvas) disc(x, y, r float64, b brush) {
	out := r + b.soft
	c.paint(x-out, y-out, x+out, y+out, b, func(px, py float64) float64 { return math.Hypot(px-x, py-y) - r })
}

// sun paints a disc with a glow.
func (c *canvas) sun(x, y, r float64, ink colorful.Color) {
	c.disc(x, y, 2*r, brush{ink, ink, 0.45, 4 * r})
	c.disc(x, y, r, plain(ink))
}

func (c *canvas) box(left, top, right, bottom float64, b brush) {
	c.paint(left, top, right, bottom, b, func(x, y float64) float64 { return max(left-x, x-right, top-y, y-bottom) })
}

// below paints everything below an edge, which is at a height for each x.
func (c *canvas) below(b brush, edge func(x float64) float64) {
	edges, highest := make([]float64, c.Rect.Dx()), 1.0
	for i := range edges {
		edges[i] = edge((float64(i) + 0.5) / c.unit)
		highest = min(highest, edges[i])
	}
	c.paint(0, highest-b.soft, c.width, 1, b, func(x, y float64) float64 { return edges[int(x*c.unit)] - y })
}

// leaf paints a leaf from its stem in a direction: the points that two circles have in common.
func (c *canvas) leaf(x, y, length, thickness, angle float64, b brush) {
	sin, cos := math.Sincos(angle)
	r := (length*length/4 + thickness*thickness/4) / thickness
	x, y = x+length/2*cos, y+length/2*sin
	c.paint(x-length/2, y-length/2, x+length/2, y+length/2, b, func(px, py float64) float64 {
		along, across := (px-x)*cos+(py-y)*sin, (py-y)*cos-(px-x)*sin
		return math.Hypot(along, math.Abs(across)+r-thickness/2) - r
	})
}

// ridge returns an edge of slow and quick waves around a height.
func (c *canvas) ridge(height, slow, quick float64) func(float64) float64 {
	a, b, d, turn := c.vary(2, 4), c.vary(7, 11), c.vary(17, 29), 7*c.Float64()
	return func(x float64) float64 {
		return height + slow*math.Sin(a*x+turn) + slow/3*math.Sin(b*x+2*turn) + quick*math.Sin(d*x+3*turn)
	}
}

// firs returns an edge of fir trees on a ridge.
func (c *canvas) firs(ground func(float64) float64, height float64) func(float64) float64 {
	var trees [][3]float64 // x, y of the foot, height
	for x := 0.0; x < c.width; x += height * c.vary(0.1, 0.4) {
		trees = append(trees, [3]float64{x, ground(x), height * c.vary(0.5, 1)})
	}
	return func(x float64) float64 {
		edge := ground(x)
		for _, t := range trees {
			away := math.Abs(x-t[0]) / (0.2 * t[2])
			edge = min(edge, t[1]-t[2]*(1-math.Pow(away, 0.8)-0.05*math.Mod(6*away, 1)))
		}
		return edge
	}
}
