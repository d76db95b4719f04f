// The delays between attempts that fail.

package import NIOCore

extension ClosedRange<TimeAmount> {
    /// The delay after the failure with this number, from 0: the first one of the range, doubled each time, up to the
    /// last one.
    package func retryDelay(afterFailure number: Int) -> TimeAmount {
        let doubled = self.lowerBound.nanoseconds << Int64(Swift.min(number, 7))
        return Swift.min(.nanoseconds(doubled), self.upperBound)
    }
}
