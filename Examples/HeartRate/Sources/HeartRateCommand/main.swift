// The program `heartrate`: prints a line for each heartbeat, until it is ended.

import Foundation
import HeartRate

let monitor = HeartRateMonitor { event in
    switch event {
    case .searching: print("Looking for a heart rate sensor; Ctrl-C ends it.")
    case .unavailable(let reason): print("Not now: \(reason).")
    case .connected(let name, nil): print("\(name) is connected.")
    case .connected(let name, let location?): print("\(name) is connected, worn on the \(location).")
    case .measured(let measurement):
        let contact = measurement.hasContact == false ? "  (does not touch the skin)" : ""
        print("♥ \(measurement.rate) beats a minute\(contact)")
    case .lost: print("Out of reach; waiting for it.")
    }
    fflush(nil)
}

// Managers on the main queue need the main run loop, which returns without a timer when there is nothing to do.
RunLoop.main.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
withExtendedLifetime(monitor) { RunLoop.main.run() }
