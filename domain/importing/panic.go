package importing

import (
	"fmt"
	"runtime/debug"
)

// recovered turns a panic of the function that defers it into an error. A panic in a goroutine would otherwise end the
// process.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}
