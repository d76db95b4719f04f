// The recipe "Timer" of the page "Porting an app".

import Foundation

func addTimer(every interval: TimeInterval, _ body: @escaping @Sendable (Timer) -> Void) -> Timer {
    let first = Date(timeIntervalSinceNow: interval)
    let timer = Timer(fire: first, interval: interval, repeats: true, block: body)
    RunLoop.main.add(timer, forMode: .common)
    return timer
}
