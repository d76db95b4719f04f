// The connection parameters that a peripheral requests for a latency that an app desires.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

extension CBPeripheralManagerConnectionLatency {
    /// The connection parameters that are asked for.
    var connectionParameters: ConnectionParameters {
        func parameters(
            _ interval: ClosedRange<TimeAmount>,
            latency: UInt16 = 0,
            supervisionTimeout: TimeAmount
        ) -> ConnectionParameters {
            ConnectionParameters(
                minimumInterval: ConnectionInterval(interval.lowerBound),
                maximumInterval: ConnectionInterval(interval.upperBound),
                latency: latency,
                supervisionTimeout: SupervisionTimeout(supervisionTimeout)
            )
        }
        return switch self {
        case .low: parameters(.milliseconds(15)...TimeAmount.milliseconds(30), supervisionTimeout: .seconds(2))
        case .medium: parameters(.milliseconds(60)...TimeAmount.milliseconds(120), supervisionTimeout: .seconds(4))
        case .high:
            parameters(.milliseconds(240)...TimeAmount.milliseconds(480), latency: 2, supervisionTimeout: .seconds(6))
        }
    }
}
