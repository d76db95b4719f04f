// The recipe "Streams on a queue" of the page "Porting an app".

import CoreBluetooth

/// In place of CFReadStreamSetDispatchQueue and CFWriteStreamSetDispatchQueue: the streams of a channel on a run loop.
func open(_ channel: CBL2CAPChannel, delegate: any StreamDelegate, on runLoop: RunLoop = .main) {
    for stream in [channel.inputStream, channel.outputStream] as [Stream?] {
        stream?.delegate = delegate
        stream?.schedule(in: runLoop, forMode: .default)
        stream?.open()
    }
}
