package importing

import (
	"fmt"
	"runtime/debug"
)

// Recovered turns a panic of the function that defers it into an error. A panic in a goroutine would otherwise end the
// process.
func Recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}
