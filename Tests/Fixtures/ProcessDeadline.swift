// The end of a test that is a process of its own, where what it tests might wait or try for ever.

import Foundation

/// Ends this process by a signal when so many seconds have passed, whatever its threads do. To be called on a thread
/// that stays.
package func endProcess(after seconds: CUnsignedInt) {
    unblockSignal(SIGALRM)
    alarm(seconds)
}

/// Lets this thread get a signal, which a thread that serves a queue does not get otherwise.
package func unblockSignal(_ number: CInt) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
}
