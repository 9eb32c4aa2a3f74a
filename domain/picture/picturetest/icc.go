package picturetest

import (
	"encoding/binary"
	"math"
	"slices"
)

// Primaries are the chromaticities of red, green, blue and white: x and y of each.
type Primaries [8]float64

// Known primaries.
var (
	SRGB      = Primaries{0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290}
	DisplayP3 = Primaries{0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.3290}
	Rec2020   = Primaries{0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.3290}
	AdobeRGB  = Primaries{0.64, 0.33, 0.21, 0.71, 0.15, 0.06, 0.3127, 0.3290}
	// Swapped has green for red and red for green.
	Swapped = Primaries{0.30, 0.60, 0.64, 0.33, 0.15, 0.06, 0.3127, 0.3290}
)

type vec [3]float64
type mat [3]vec

func (m mat) times(v vec) (out vec) {
	for i := range m {
		out[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
	}
	return out
}

func (m mat) inverse() (out mat) {
	for i := range 3 {
		for j := range 3 {
			a, b, c, d := (j+1)%3, (j+2)%3, (i+1)%3, (i+2)%3
			out[i][j] = m[a][c]*m[b][d] - m[a][d]*m[b][c]
		}
	}
	det := m[0][0]*out[0][0] + m[0][1]*out[1][0] + m[0][2]*out[2][0]
	for i := range out {
		for j := range out[i] {
			out[i][j] /= det
		}
	}
	return out
}

func xyz(x, y float64) vec { return vec{x / y, 1, (1 - x - y) / y} }

// columns returns the XYZ of red, green and blue, adapted to the white D50.
func (p Primaries) columns() (out [3]vec) {
	r, g, b, white := xyz(p[0], p[1]), xyz(p[2], p[3]), xyz(p[4], p[5]), xyz(p[6], p[7])
	m := mat{{r[0], g[0], b[0]}, {r[1], g[1], b[1]}, {r[2], g[2], b[2]}}
	s := m.inverse().times(white)
	bradford := mat{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	from, to := bradford.times(white), bradford.times(vec{0.9642, 1, 0.8249})
	for i, c := range []vec{r, g, b} {
		cone := bradford.times(vec{c[0] * s[i], c[1] * s[i], c[2] * s[i]})
		for j := range cone {
			cone[j] *= to[j] / from[j]
		}
		out[i] = bradford.inverse().times(cone)
	}
	return out
}

func fixed(v float64) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(int32(math.Round(v*65536))))
}

// Gamma returns a tone curve of a profile with one exponent.
func Gamma(g float64) []byte {
	return slices.Concat([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"),
		binary.BigEndian.AppendUint16(nil, uint16(math.Round(g*256))), []byte{0, 0})
}

// SRGBCurve returns the tone curve of sRGB.
func SRGBCurve() []byte {
	return slices.Concat([]byte("para\x00\x00\x00\x00\x00\x03\x00\x00"), fixed(2.4), fixed(1/1.055), fixed(0.055/1.055),
		fixed(1/12.92), fixed(0.04045))
}

// Table returns a tone curve with the given number of points, of the exponent 1.8.
func Table(points int) []byte {
	curve := binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), uint32(points))
	for i := range points {
		v := math.Pow(float64(i)/float64(points-1), 1.8)
		curve = binary.BigEndian.AppendUint16(curve, uint16(math.Round(v*65535)))
	}
	return append(curve, 0, 0)[:(len(curve)+3)/4*4]
}

// tag is an element of a profile.
type tag struct {
	name string
	body []byte
}

func profile(space string, tags ...tag) []byte {
	head := make([]byte, 128, 512)
	binary.BigEndian.PutUint32(head[8:], 0x04200000)
	copy(head[12:], "mntr"+space+"XYZ ")
	copy(head[36:], "acsp")
	copy(head[68:], slices.Concat(fixed(0.9642), fixed(1), fixed(0.8249)))
	head = binary.BigEndian.AppendUint32(head, uint32(len(tags)))
	at := len(head) + 12*len(tags)
	var bodies []byte
	for _, t := range tags {
		head = binary.BigEndian.AppendUint32(append(head, t.name...), uint32(at+len(bodies)))
		head = binary.BigEndian.AppendUint32(head, uint32(len(t.body)))
		bodies = append(bodies, t.body...)
	}
	head = append(head, bodies...)
	binary.BigEndian.PutUint32(head, uint32(len(head)))
	return head
}

func xyzTag(name string, v vec) tag {
	return tag{name, slices.Concat([]byte("XYZ \x00\x00\x00\x00"), fixed(v[0]), fixed(v[1]), fixed(v[2]))}
}

// RGBProfile returns a profile of a matrix and three tone curves.
func RGBProfile(p Primaries, curve []byte) []byte {
	c := p.columns()
	return profile("RGB ", xyzTag("rXYZ", c[0]), xyzTag("gXYZ", c[1]), xyzTag("bXYZ", c[2]),
		xyzTag("wtpt", vec{0.9642, 1, 0.8249}), tag{"rTRC", curve}, tag{"gTRC", curve}, tag{"bTRC", curve})
}

// GreyProfile returns a profile of one tone curve.
func GreyProfile(curve []byte) []byte {
	return profile("GRAY", xyzTag("wtpt", vec{0.9642, 1, 0.8249}), tag{"kTRC", curve})
}

// TableProfile returns a profile whose colours are in a table, which also has a matrix if it is for RGB.
func TableProfile(space string) []byte {
	table := tag{"A2B0", append([]byte("mft1\x00\x00\x00\x00"), make([]byte, 64)...)}
	if space == "CMYK" {
		return profile(space, table)
	}
	c := DisplayP3.columns()
	return profile(space, xyzTag("rXYZ", c[0]), xyzTag("gXYZ", c[1]), xyzTag("bXYZ", c[2]), table)
}
