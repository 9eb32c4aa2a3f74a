package sample

import (
	"math"

	"github.com/lucasb-eyer/go-colorful"
)

// hills are ridges that fade into the evening light.
func (c *canvas) hills() {
	c.hue = c.vary(245, 315)
	c.fill(brush{c.ink(0.48, 0.09, 0), c.ink(0.9, 0.08, 150), 1, 0})
	c.sun(c.vary(0.4, c.width-0.4), 0.46, 0.07, c.ink(0.97, 0.07, 160))
	for i := range 6 {
		at := float64(i) / 5
		ink := c.ink(0.78, 0.06, 120).BlendOkLab(c.ink(0.24, 0.05, 0), at)
		mist := ink.BlendOkLab(c.ink(0.85, 0.06, 130), 0.35*(1-at))
		c.below(brush{ink, mist, 1, 0}, c.ridge(0.5+0.09*float64(i), 0.03, 0.006))
	}
}

// sea is a calm sea under a low sun, with its light on the water and a sail.
func (c *canvas) sea() {
	const horizon = 0.58
	c.hue = c.vary(200, 260)
	c.fill(brush{c.ink(0.66, 0.09, 0), c.ink(0.92, 0.06, 190), 1, 0})
	sun := c.vary(0.5, c.width-0.5)
	c.sun(sun, horizon-0.12, 0.085, c.ink(0.98, 0.06, 205))
	c.below(brush{c.ink(0.68, 0.08, 0), c.ink(0.3, 0.08, 10), 1, 0}, func(float64) float64 { return horizon })
	for i := range 150 {
		depth := math.Pow(float64(i)/150, 1.4)
		x, length := sun+(0.07+0.5*depth)*c.vary(-0.5, 0.5)*c.vary(0.4, 1.4), (0.03+0.12*depth)*c.vary(0.4, 1.2)
		glint := brush{c.ink(0.97, 0.06, 200), c.ink(0.9, 0.08, 190), 0.75, 0}
		c.leaf(x-length/2, horizon+0.01+0.42*depth, length, 0.003+0.008*depth, 0, glint)
	}
	boat := sun + math.Copysign(c.vary(0.3, 0.5), c.width/2-sun)
	c.leaf(boat-0.02, horizon, 0.17, 0.08, -1.45, plain(c.ink(0.99, 0.01, 180)))
	c.leaf(boat-0.08, horizon+0.006, 0.16, 0.03, 0, plain(c.ink(0.3, 0.06, 0)))
}

// night is a sky of stars with a crescent, above firs.
func (c *canvas) night() {
	c.hue = c.vary(240, 300)
	c.fill(brush{c.ink(0.16, 0.06, 0), c.ink(0.46, 0.1, 20), 1, 0})
	for range 30 { // the Milky Way
		at, r := c.Float64(), c.vary(0.06, 0.14)
		haze := brush{c.ink(0.8, 0.08, 40), c.ink(0.7, 0.1, 60), 0.07, r}
		c.disc(0.2+1.5*at, 0.75-0.75*at+c.vary(-0.1, 0.1), r, haze)
	}
	for range 420 {
		bright, ink := math.Pow(c.Float64(), 4), c.ink(0.97, 0.03, c.vary(-60, 160))
		c.disc(c.width*c.Float64(), 0.85*c.Float64(), 0.0009+0.0025*bright, brush{ink, ink, 0.45 + 0.55*bright, 0.002})
	}
	x := c.vary(0.25, 0.7)
	c.paint(x-0.1, 0.14, x+0.1, 0.34, plain(c.ink(0.96, 0.05, 180)), func(px, py float64) float64 {
		return max(math.Hypot(px-x, py-0.24)-0.07, 0.062-math.Hypot(px-x-0.03, py-0.225))
	})
	c.below(plain(c.ink(0.26, 0.06, 10)), c.ridge(0.8, 0.03, 0.004))
	c.below(plain(c.ink(0.13, 0.04, 0)), c.firs(c.ridge(0.95, 0.03, 0.004), 0.22))
}

// forest is rows of firs in the mist.
func (c *canvas) forest() {
	c.hue = c.vary(130, 230)
	mist := c.ink(0.93, 0.02, 0)
	c.fill(brush{c.ink(0.86, 0.03, 20), mist, 1, 0})
	c.sun(c.vary(0.5, c.width-0.5), 0.25, 0.07, c.ink(0.99, 0.03, -60))
	for i := range 5 {
		at := float64(i) / 4
		ink := mist.BlendOkLab(c.ink(0.25, 0.05, 0), 0.18+0.82*at)
		ground := c.ridge(0.55+0.12*float64(i), 0.05, 0.004)
		c.below(brush{ink, ink.BlendOkLab(mist, 0.9-0.5*at), 1, 0}, c.firs(ground, 0.17+0.17*at))
	}
}

// city is houses at dusk with light in some of their windows.
func (c *canvas) city() {
	c.hue = c.vary(230, 310)
	c.fill(brush{c.ink(0.4, 0.1, 0), c.ink(0.85, 0.09, 110), 1, 0})
	c.sun(c.vary(0.2, c.width-0.2), 0.2, 0.05, c.ink(0.96, 0.04, 140))
	for row, light := range []float64{0.58, 0.42, 0.26} {
		for left := c.vary(-0.1, 0); left < c.width; {
			right, top := left+c.vary(0.1, 0.24), 0.34+0.16*float64(row)+c.vary(0, 0.2)
			c.box(left, top, right, 1.1, plain(c.ink(light+c.vary(-0.03, 0.03), 0.07, 30-10*float64(row))))
			for x := left + 0.02; row > 0 && x < right-0.03; x += 0.034 {
				for y := top + 0.03; y < 1; y += 0.05 {
					dark := c.ink(light-0.06, 0.06, 10)
					pane := pick(c.Rand, []colorful.Color{dark, dark, c.ink(c.vary(0.8, 0.92), 0.11, 150)})
					c.box(x, y, x+0.016, y+0.026, plain(pane))
				}
			}
			left = right + c.vary(-0.01, 0.02)
		}
	}
}

// shapes are circles, halves and quarters of circles in a grid.
func (c *canvas) shapes() {
	c.hue = c.vary(225, 300)
	side := c.width / 7
	inks := []brush{plain(c.ink(0.93, 0.03, 60)), plain(c.ink(0.45, 0.1, 0)), plain(c.ink(0.7, 0.14, 150)),
		plain(c.ink(0.85, 0.1, 190)), plain(c.ink(0.6, 0.1, 40))}
	for cell := range 28 {
		left, top := side*float64(cell%7), side*float64(cell/7)
		half := pick(c.Rand, []float64{0, 1, 2}) // the centre is in a corner, or the middle
		x, y, r := left+side*math.Mod(half, 2), top+side*float64(c.IntN(2)), side
		if half == 2 {
			x, y, r = left+side/2, top+side/2, side/2
		}
		order := c.Perm(len(inks))
		for i, r := range []float64{9, r, r * pick(c.Rand, []float64{0, 0.5})} {
			distance := func(px, py float64) float64 { return math.Hypot(px-x, py-y) - r }
			c.paint(left, top, left+side-1/c.unit, top+side-1/c.unit, inks[order[i]], distance)
		}
	}
}

// waves are waves cut from paper, each with its shadow on the one behind it.
func (c *canvas) waves() {
	c.hue = c.vary(200, 310)
	c.fill(brush{c.ink(0.96, 0.03, 50), c.ink(0.9, 0.06, 60), 1, 0})
	c.disc(c.vary(0.4, c.width-0.4), 0.27, 0.13, plain(c.ink(0.82, 0.13, 160)))
	for i := range 7 {
		edge, shadow := c.ridge(0.36+0.1*float64(i), 0.06, 0), c.ink(0.2, 0.05, 0)
		c.below(brush{shadow, shadow, 0.3, 0.05}, func(x float64) float64 { return edge(x-0.01) - 0.012 })
		ink := c.ink(0.88, 0.07, 30).BlendOkLab(c.ink(0.36, 0.1, -20), float64(i)/6)
		c.below(brush{ink, ink.BlendOkLab(shadow, 0.12), 1, 0}, edge)
	}
}

// botanical is twigs with leaves.
func (c *canvas) botanical() {
	c.hue = c.vary(110, 200)
	paper := c.ink(0.96, 0.02, -60)
	c.fill(plain(paper))
	for i := range 11 {
		x, y := c.width*(float64(i)+c.vary(0.1, 0.9))/11, c.vary(0.55, 1.25)
		angle, ink := -math.Pi/2+c.vary(-0.5, 0.5), c.ink(c.vary(0.42, 0.72), 0.08, c.vary(-30, 40))
		bend, size := c.vary(-0.06, 0.06), c.vary(0.13, 0.2)
		for leaf := range 9 {
			c.leaf(x, y, 0.09, 0.005, angle, plain(ink.BlendOkLab(paper, 0.2)))
			x, y, angle = x+0.08*math.Cos(angle), y+0.08*math.Sin(angle), angle+bend
			long := size * (1 - float64(leaf)/11)
			for _, side := range []float64{-0.85, 0.85, 0} {
				c.leaf(x, y, long, long*0.36, angle+side, plain(ink.BlendOkLab(paper, c.vary(0, 0.25))))
			}
		}
	}
}

// avatar is a flower.
func (c *canvas) avatar() {
	c.hue = c.vary(140, 420)
	ground, light := c.ink(c.vary(0.35, 0.6), 0.09, 0), c.ink(0.93, 0.05, c.vary(60, 200))
	c.fill(brush{ground, ground.BlendOkLab(c.ink(0.3, 0.08, 30), 0.4), 1, 0})
	petals := c.vary(5, 9)
	for i := range int(petals) {
		c.leaf(0.5, 0.5, 0.4, 1.3/petals, 2*math.Pi*float64(i)/math.Floor(petals), brush{light, light, 0.8, 0})
	}
	c.disc(0.5, 0.5, 0.08, plain(c.ink(0.8, 0.13, 150)))
}
